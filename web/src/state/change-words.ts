import type { AuditLine } from "../../../src/protocol/people.ts";
import { identityLine } from "./identity.ts";

/** A change of people as a sentence. Names are those of now; whoever has none is shown by what stands in the line. */
export function changeWords(line: AuditLine): string {
  const { action, detail } = line;
  const actor = line.actorName ?? line.actor;
  const target = line.target === line.actor ? "themself" : (line.targetName ?? line.target);
  const identity = identityLine(detail["identity"] ?? "", "");
  switch (action) {
    case "join":
      return `${actor} joined as ${detail["tier"] ?? "somebody"} with ${identity}`;
    case "tier":
      return `${actor} made ${target} ${detail["to"] ?? ""} instead of ${detail["from"] ?? ""}`;
    case "disable":
      return `${actor} switched ${target} off`;
    case "enable":
      return `${actor} switched ${target} on`;
    case "link":
      return `${actor} linked ${identity} to ${target}`;
    case "unlink":
      return `${actor} unlinked ${identity} from ${target}`;
    case "merge":
      return `${actor} merged ${target} into ${line.intoName ?? detail["into"] ?? ""}`;
    case "invite":
      return `${actor} made an invitation as ${detail["tier"] ?? ""}`;
    case "uninvite":
      return `${actor} took an invitation back`;
    default:
      return `${actor}: ${action}, ${target} ${JSON.stringify(detail)}`;
  }
}
