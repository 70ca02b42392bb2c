import type { End, MessageSurface, Outgoing, ProgressLine, Sending } from "./surface.ts";

/** Notes what a surface could not do that nobody has to wait for. */
type Report = (event: string, facts: { readonly [key: string]: string }) => void;

/** A surface with everything on it: what it does not have does nothing, and what it cannot carry is refused. */
export type CompleteSurface = Required<Omit<MessageSurface, "supportsFiles" | "prompts">> &
  Pick<MessageSurface, "prompts"> & {
    /** Reactions are more than nothing. */
    readonly reacts: boolean;
  };

/** Fills in what a surface does not have. Handles end once; progress and reactions that fail are reported and pass. */
export function completeSurface(surface: MessageSurface, report: Report): CompleteSurface {
  const quietly = async (what: string, act: () => Promise<void> | undefined): Promise<void> => {
    try {
      await act();
    } catch (error) {
      report("surface.failed", { surface: surface.surface, what, error: String(error) });
    }
  };
  const send = async (what: "sendReply" | "sendNotice", message: Outgoing): Promise<Sending> => {
    if (message.files.length === 0 || surface.supportsFiles === true) return await surface[what](message);
    const error = `${surface.surface} carries no files: ${message.files.length} would be lost`;
    return { status: "drop", error };
  };
  return {
    kind: "messages",
    surface: surface.surface,
    reacts: surface.react !== undefined && surface.unreact !== undefined,
    ...(surface.prompts && { prompts: surface.prompts }),
    sendReply: (reply) => send("sendReply", reply),
    sendNotice: (notice) => send("sendNotice", notice),
    startTyping: (channel) => once(surface.startTyping?.(channel)),
    showStop: (channel) => once(surface.showStop?.(channel)),
    progress: (channel: string, line: ProgressLine) => quietly("progress", () => surface.progress?.(channel, line)),
    react: (...what) => quietly("react", () => surface.react?.(...what)),
    unreact: (...what) => quietly("unreact", () => surface.unreact?.(...what)),
  };
}

function once(end: End | undefined): End {
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    end?.();
  };
}
