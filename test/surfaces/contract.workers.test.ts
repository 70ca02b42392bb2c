import { ALL_ABLE, inWebChat, onTestNetwork } from "../kit/contract-subjects.workers.ts";
import { describeSurfaceContract } from "../kit/surface-contract.ts";

const NOTHING = { cards: false, files: false, presence: false, progress: false, attachments: false, marks: false };

describeSurfaceContract("web chat", ALL_ABLE, inWebChat);
describeSurfaceContract("test network", ALL_ABLE, onTestNetwork());
describeSurfaceContract(
  "test network that can only send text",
  NOTHING,
  onTestNetwork({ prompts: false, files: false, typing: false, stop: false, progress: false, reactions: false }),
);
