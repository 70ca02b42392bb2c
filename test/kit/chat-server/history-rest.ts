import type * as z from "zod";
import { forkBody, pinBody, replayBody, rewindBody } from "../../../src/protocol/rest.ts";
import type { Answer } from "./answer.ts";
import { leftBehind, pin, rewind } from "./history.ts";
import type { MockHouse, Room } from "./house.ts";
import { Refusal } from "./refusal.ts";
import { replayFor, sentFor } from "./sent.ts";

/** The REST calls about a conversation's past. @param path what follows the conversation's id. */
export function answerHistory(house: MockHouse, room: Room, path: readonly string[], body: unknown): Answer {
  const c = room.conversation;
  const [what, ref, part] = path;
  switch ([what, part].join(" ").trim()) {
    case "compact":
      return { status: 202, body: { started: room.tasks.compact() } };
    case "reset":
      return { status: 200, body: { status: house.reset(room) } };
    case "rewind": {
      rewind(c, parse(rewindBody, body).to, "p_owner");
      c.commit(...c.windowOps());
      return { status: 204, body: undefined };
    }
    case "left":
      return { status: 200, body: { entries: leftBehind(c, Number(ref)) } };
    case "fork": {
      const { id, at } = parse(forkBody, body);
      house.fork(room, id, at);
      return { status: 201, body: { id } };
    }
    case "pin": {
      const { entry, on } = parse(pinBody, body);
      pin(c, entry, on);
      return { status: 204, body: undefined };
    }
    case "tasks stop":
      room.tasks.stop(Number(ref));
      return { status: 200, body: { stopped: true } };
    case "entries request":
      return { status: 200, body: sentFor(c, Number(ref)) };
    case "entries replay":
      return { status: 200, body: replayFor(c, Number(ref), parse(replayBody, body).model) };
    default:
      throw new Refusal("not_found", "There is no such route.");
  }
}

function parse<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Refusal("bad_request", parsed.error.message);
  return parsed.data;
}
