import { AdmissionOrder, type Host, requestMirror, route } from "../../host/index.ts";
import type { AdmissionRefusal, ClockPort } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Directory } from "../../people/directory.ts";
import type { Caller, PersonFacts } from "../../people/facts.ts";
import type { Action } from "../../people/may-act.ts";
import { authorOf } from "../../people/other-ids.ts";
import type { SendBody } from "../../protocol/frames.ts";
import type { ChatRefusal } from "../../surfaces/webchat/chat-port.ts";
import { titleOf } from "../../surfaces/webchat/title.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { Life } from "../conversation/life.ts";
import { contentOf } from "../conversation/message-content.ts";
import { REWIND_REFUSALS } from "../conversation/rewind-refusals.ts";
import { admitBackground, backgroundKey, NO_BACKGROUND_FILES } from "../desk/background-desk.ts";
import { voiceOf } from "../room/room-voice.ts";
import type { Answer, SubmitReceipt } from "../rpc.ts";

/** The surface whose messages come in here. */
const WEB = "web";

interface AdmissionHost {
  readonly directory: Directory;
  readonly entrance: Entrance;
  /** Whose claims decide what becomes of a message. */
  readonly host: Pick<Host, "claims">;
  readonly clock: ClockPort;
}

/** Lets messages in: each by `mayAct`, in the order of their arrival, as the claim that owns the channel decides. */
export class AdmissionDesk {
  readonly #host: AdmissionHost;
  readonly #order: AdmissionOrder;

  constructor(host: AdmissionHost) {
    this.#host = host;
    this.#order = new AdmissionOrder(host.clock);
  }

  async submit(caller: Caller, body: SendBody): Answer<SubmitReceipt> {
    return await this.#order.run(this.#check(caller, body), (sender) =>
      sender.ok ? this.#admit(caller, body, sender.value) : sender,
    );
  }

  /** Undefined: the directory knows nobody of the kind any more. */
  async #check(caller: Caller, body: SendBody): Promise<Result<PersonFacts | undefined, ChatRefusal>> {
    const { entrance, directory } = this.#host;
    const desk = await entrance.enter(caller, actionOf(body));
    return desk.ok ? await directory.read(caller) : desk;
  }

  #admit(caller: Caller, body: SendBody, person: PersonFacts | undefined): Awaited<Answer<SubmitReceipt>> {
    // Those before may have taken their time: whoever was taken out meanwhile says nothing more.
    const desk = this.#host.entrance.enterAt(person, actionOf(body), this.#host.clock.now());
    if (!desk.ok) return desk;
    const life = desk.value;
    const { kernel, facts } = life;
    const content = contentOf(life, body);
    if (!content.ok) return content;
    const isKnown = (key: string) => (kernel.input(key) ?? kernel.input(backgroundKey(key))) !== undefined;
    const actor = authorOf(person ?? caller, body.id, isKnown);
    const { principalId } = caller;
    const message = { channel: facts.key, isBot: false, text: body.text, files: body.attachments?.length ?? 0 };
    const routed = route(this.#host.host.claims, WEB, message, { principalId, tier: person?.tier ?? "guest" });
    if (routed.kind === "drop") return err({ code: "forbidden", message: routed.reason, ref: body.id });
    if (routed.kind === "background") {
      if (message.files > 0) return err({ ...NO_BACKGROUND_FILES, ref: body.id });
      const begun = admitBackground(kernel, { ...routed, author: actor, key: `${actor}:${body.id}` });
      return begun.ok ? ok({ id: body.id, ...begun.value }) : err({ ...begun.error, ref: body.id });
    }
    const mode = routed.mode ?? body.mode;
    const receipt = kernel.submit({
      key: `${actor}:${body.id}`,
      actor,
      meta: { identity: caller.identity },
      content: content.value,
      ...(life.room && person && { voice: voiceOf(person) }),
      ...(mode && { mode }),
      ...(body.rewindTo !== undefined && { rewindTo: body.rewindTo }),
    });
    if (!receipt.ok) return err({ ...REFUSALS[receipt.error], ref: body.id });
    nameAfter(life, body);
    return ok({ id: body.id, ...receipt.value });
  }
}

function actionOf({ rewindTo }: SendBody): Action {
  return rewindTo === undefined ? "send" : "rewrite";
}

/** The first message gives a conversation its title. */
function nameAfter({ kernel, chat }: Life, { text }: SendBody): void {
  if (kernel.get(chat).title !== "") return;
  const title = titleOf(text);
  kernel.commit((tx) => {
    tx.set(chat, { title });
    requestMirror(tx);
  });
}

const REFUSALS: Readonly<Record<AdmissionRefusal, ChatRefusal>> = {
  conflict: {
    code: "conflict",
    message: "This id stands for another message already: send it under a new one.",
  },
  inbox_full: {
    code: "inbox_full",
    message: "100 messages wait already, the limit: wait for answers or take some back.",
  },
  ...REWIND_REFUSALS,
};
