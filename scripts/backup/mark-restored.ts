/**
 * Marks a conversation's database as restored from a backup, made at the bound time (ms): whoever opens it ends what was
 * under way in it before anything else. No alarm is armed for it.
 */
export const MARK_RESTORED =
  "UPDATE control SET body = json_set(body, '$.restored', ?, '$.alarmAt', json('null')) WHERE id = 1";
