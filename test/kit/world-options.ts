import type {
  ChildrenPort,
  DeliveryOutcome,
  ForkRef,
  Kernel,
  KernelHost,
  MeterPort,
  OriginPort,
  OutboxRow,
  Registry,
  Tool,
} from "../../src/kernel/index.ts";
import type { TaskKind } from "../../src/kernel/registry/task-kind.ts";
import type { Json } from "../../src/lib/json.ts";
import type { Script } from "./scripted-model.ts";
import type { CommitFrame } from "./world-client.ts";

/** What a world holds. */
export interface WorldOptions {
  /** What creation stores. */
  readonly facts?: Json;
  readonly script?: Script;
  readonly tools?: readonly Tool[];
  /** More tools, asked for at each start of a process. */
  readonly toolsAtStart?: () => readonly Tool[];
  /** Registers what a plugin would, at each start of a process. */
  readonly register?: (registry: Registry, kernel: () => Kernel) => void;
  /** Task kinds with the powers of the kernel's own. */
  readonly kinds?: readonly TaskKind[];
  readonly settings?: KernelHost["settings"];
  /** Makes the conversation a fork. */
  readonly fork?: ForkRef;
  readonly origin?: OriginPort;
  readonly children?: ChildrenPort;
  readonly meter?: MeterPort;
  readonly deliver?: (row: OutboxRow) => Promise<DeliveryOutcome>;
  /** Called with each frame after the world's own client has folded it. */
  readonly onFrame?: (frame: CommitFrame) => void;
  /** Called before each transaction and after each that wrote something; a throw is a failure of the storage. */
  readonly onTransaction?: (when: "before" | "after") => void;
  readonly killAt?: readonly number[];
}
