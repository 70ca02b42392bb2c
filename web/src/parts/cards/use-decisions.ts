import { useEffect, useState } from "preact/hooks";
import type { AuditLine } from "../../../../src/protocol/audit.ts";
import { useApp } from "../use-app.ts";

export type Names = Readonly<Record<string, string>>;

/** Decisions as far as they were read. */
interface Found {
  readonly lines: readonly AuditLine[];
  readonly names: Names;
  /** Place of the next page. */
  readonly next: string | undefined;
}

const NOTHING: Found = { lines: [], names: {}, next: undefined };

export interface Decisions extends Found {
  /** Everybody who was met so far: a narrowed list still offers the others. */
  readonly met: Names;
  /** What there is to say instead of lines. */
  readonly state: string;
  readonly more: () => void;
}

/** Reads what was decided, narrowed to an event and a person; empty: all. Another choice begins anew. */
export function useDecisions(event: string, by: string): Decisions {
  const { rest } = useApp().ports;
  const [found, setFound] = useState<Found>(NOTHING);
  const [met, setMet] = useState<Names>({});
  const [state, setState] = useState("Loading…");
  const read = async (after: Found, isCurrent: () => boolean): Promise<void> => {
    const reply = await rest.audit({
      ...(event !== "" && { event }),
      ...(by !== "" && { by }),
      ...(after.next !== undefined && { before: after.next }),
    });
    if (!isCurrent()) return;
    if (!reply.ok) return setState(reply.error.message);
    const { lines, names, next } = reply.value;
    const all = [...after.lines, ...lines];
    setFound({ lines: all, names: { ...after.names, ...names }, next });
    setMet((known) => ({ ...known, ...names }));
    setState(all.length === 0 ? "Nothing was decided yet." : "");
  };
  useEffect(() => {
    let isCurrent = true;
    setFound(NOTHING);
    setState("Loading…");
    void read(NOTHING, () => isCurrent);
    return () => {
      isCurrent = false;
    };
  }, [event, by]);
  return { ...found, met, state, more: () => void read(found, () => true) };
}
