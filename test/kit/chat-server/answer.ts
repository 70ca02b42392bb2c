/** Answer to a REST call. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Sent as it is, with this content type, instead of JSON. */
  readonly raw?: { readonly type: string; readonly bytes: Uint8Array };
}
