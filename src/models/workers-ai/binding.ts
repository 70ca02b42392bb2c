/** The part of the Workers AI binding that is used; the platform's own `Ai` fits by shape. */
export interface AiBinding {
  run(model: string, inputs: { [key: string]: unknown }, options?: { signal?: AbortSignal }): Promise<unknown>;
}
