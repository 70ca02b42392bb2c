import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { MAX_FILE_BYTES, MAX_FILES_PER_MESSAGE, MAX_TEXT_UNITS } from "../../../src/protocol/limits.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import type { Me } from "../../../src/protocol/rest.ts";
import type { Upload } from "../net/upload.ts";
import type { MessageLimits } from "../state/message-limits.ts";
import type { Written } from "../state/outbox.ts";
import { chatPath, type Panel, type Route } from "../state/route.ts";
import { EMPTY_DRAFT } from "../state/storage.ts";
import { Account } from "./account.ts";
import { Chat } from "./chat.ts";
import { ConversationList } from "./conversation-list.ts";
import { DraftBox, type DraftPorts } from "./draft-box.ts";
import { Inbox } from "./inbox.ts";
import { Notices } from "./notices.ts";
import type { Ports } from "./ports.ts";
import { Seen } from "./seen.ts";
import { WaitingList } from "./waiting-list.ts";

/** What only a browser window can do. */
export interface WindowPorts {
  /** Loads the page anew, with nothing of it left in memory. */
  leave(): void;
  /** Shows an address without loading a page. */
  go(path: string, how: "push" | "replace"): void;
  upload(conversation: string, file: File, onProgress: (part: number) => void): Upload;
  preview(file: File): string | undefined;
}

/** Who is signed in, as far as the page knows. */
export type Session =
  | { readonly status: "unknown" }
  | { readonly status: "signed_in"; readonly me: Me }
  | { readonly status: "signed_out" };

/** An edit of an earlier message: which entry, where the conversation goes back to, and the draft that waits meanwhile. */
export interface Edit {
  readonly entry: number | undefined;
  readonly rewindTo: number;
  readonly aside: DraftBox;
}

/** Pause before a question that could not be answered yet is asked again. */
const RETRY_MS = 2_500;

/** The draft of a chat that has no address yet. */
const NEW_DRAFT = "new";

/** The whole page: who is here, which conversation is open, the list, what is being said. */
export class App {
  readonly session: Signal<Session> = signal({ status: "unknown" });
  readonly chat: Signal<Chat>;
  readonly draft: Signal<DraftBox>;
  /** Set while the draft is an edit of an earlier message. */
  readonly edit: Signal<Edit | undefined> = signal(undefined);
  readonly list: ConversationList;
  readonly waiting: WaitingList;
  /** What is open over the chat, as the address says. */
  readonly panel: Signal<Panel | undefined> = signal(undefined);
  readonly notices: Notices;
  readonly account: Account;
  readonly inbox: Inbox;
  readonly seen: Seen;
  readonly me: ReadonlySignal<Me | undefined>;
  readonly limits: ReadonlySignal<MessageLimits>;
  readonly ports: Ports;
  readonly #window: WindowPorts;
  /** UUID of a shared conversation that may not have been created yet. */
  #room: string | undefined;

  constructor(route: Route, ports: Ports, window: WindowPorts) {
    this.ports = ports;
    this.#window = window;
    this.list = new ConversationList(ports.rest);
    this.account = new Account(ports.rest);
    this.waiting = new WaitingList(ports);
    this.notices = new Notices(ports.after);
    this.inbox = new Inbox(ports.rest);
    const { rest, after } = ports;
    this.seen = new Seen({ rest, after, onTold: (id) => this.list.markSeen(id) });
    this.me = computed(() => (this.session.value.status === "signed_in" ? this.session.value.me : undefined));
    this.limits = computed(() => this.me.value?.limits ?? DEFAULT_LIMITS);
    const conversation = route.page === "chat" ? route.conversation : undefined;
    this.chat = signal(this.#makeChat(conversation));
    this.draft = signal(this.#makeDraft(conversation));
  }

  /** Opens the socket, reads who is here and the list: all at once, nothing waits for the other. */
  start(): void {
    this.chat.value.open();
    if (this.session.value.status === "unknown") void this.refreshMe();
    void this.list.refresh();
    void this.inbox.refresh();
  }

  /** The network or the tab is back. */
  wake(): void {
    this.chat.value.wake();
    void this.list.refresh();
    void this.inbox.refresh();
    if (this.session.value.status === "unknown") void this.refreshMe();
  }

  /** Asks who is signed in; while the server cannot say, asks again after a while. */
  async refreshMe(): Promise<void> {
    const reply = await this.ports.rest.me();
    if (reply.ok) return this.#greet(reply.value);
    if (reply.error.status === 401) {
      this.session.value = { status: "signed_out" };
      return;
    }
    this.ports.after(RETRY_MS, () => {
      if (this.session.value.status !== "unknown") return;
      void this.refreshMe();
      void this.list.refresh();
    });
  }

  /** Opens a conversation, or with undefined a new chat. */
  openChat(conversation: string | undefined, how: "push" | "replace" | "keep" = "push"): void {
    const isSame = conversation === this.chat.value.id && !this.chat.value.isNew.value;
    if (how !== "keep") this.#window.go(chatPath(conversation), how);
    if (isSame) return;
    this.#replaceChat(conversation);
    this.chat.value.open();
  }

  /** Sends what is written. The first message gives a new chat its address. */
  send(text: string, files: readonly FileRef[], rewindTo?: number): void {
    const chat = this.chat.value;
    chat.send(text, files, rewindTo);
    if (chat.isNew.value) this.#window.go(chatPath(chat.id), "replace");
  }

  /** Sends the draft and starts a fresh one; after an edit the draft that waited is back. */
  sendDraft(): void {
    const draft = this.draft.value;
    const files = draft.files.value;
    const text = draft.text.value;
    const edit = this.edit.value;
    draft.clear();
    if (edit === undefined) this.draft.value = this.#makeDraft(this.chat.value.id);
    else this.endEdit();
    this.send(text, files, edit?.rewindTo);
  }

  /** Opens an earlier message in the field. What is being written waits aside. @param entry undefined: it was not accepted. */
  beginEdit(entry: number | undefined, message: Pick<Written, "text" | "files">, rewindTo: number): void {
    const aside = this.edit.value?.aside ?? this.draft.value;
    const draft = this.#makeDraft(this.chat.value.id, FORGETFUL);
    draft.restore(message.text, message.files);
    batch(() => {
      this.edit.value = { entry, rewindTo, aside };
      this.draft.value = draft;
    });
  }

  /** Leaves the edit: the draft that waited is back. */
  endEdit(): void {
    const edit = this.edit.value;
    if (edit === undefined) return;
    batch(() => {
      this.edit.value = undefined;
      this.draft.value = edit.aside;
    });
  }

  /** Forks the conversation at an entry and opens the fork. */
  async fork(entry: number): Promise<void> {
    const chat = this.chat.value;
    const id = await chat.history.fork(entry);
    if (id === undefined) return;
    void this.list.refresh();
    if (this.chat.value === chat) this.openChat(id);
  }

  /** Opens a shared conversation. A repeat after a failure asks under the same UUID. */
  async openRoom(): Promise<void> {
    this.#room ??= this.ports.uuid();
    const id = this.#room;
    const reply = await this.ports.rest.create(id, "shared");
    if (!reply.ok) return this.notices.problem(reply.error.message);
    this.#room = undefined;
    void this.list.refresh();
    this.openChat(id);
  }

  /** The person has gone out of a shared conversation: nothing of it stays on the page. */
  leftConversation(id: string): void {
    this.list.forget(id);
    this.ports.keep.forget(id);
    if (this.chat.value.id === id) this.openChat(undefined, "replace");
    this.notices.info("You have left the conversation.");
  }

  /** Attaches files to the draft and says which do not fit. */
  attach(files: readonly File[]): void {
    for (const refusal of this.draft.value.attach(files, this.limits.value)) this.notices.problem(refusal);
  }

  /** After signing in: a chat of the person who is here now. */
  async enter(): Promise<void> {
    this.session.value = { status: "unknown" };
    const { id, isNew, connection } = this.chat.value;
    const isLost = connection.value.status === "ended";
    if (isLost) this.#replaceChat(isNew.value ? undefined : id);
    this.#window.go(chatPath(isNew.value ? undefined : id), "replace");
    await this.refreshMe();
    this.start();
  }

  async claim(code: string): Promise<string | undefined> {
    const reply = await this.ports.rest.claim(code);
    return reply.ok ? undefined : reply.error.message;
  }

  async signOut(everywhere: boolean): Promise<void> {
    const reply = await this.ports.rest.signOut(everywhere);
    if (!reply.ok && reply.error.status !== 401) return this.notices.problem(reply.error.message);
    this.chat.value.close();
    this.ports.keep.clear();
    this.#window.leave();
  }

  async deleteConversation(id: string): Promise<void> {
    const refusal = await this.list.remove(id);
    if (refusal !== undefined) return this.notices.problem(refusal.message);
    this.ports.keep.forget(id);
    if (this.chat.value.id === id) this.openChat(undefined, "replace");
    this.notices.info("The conversation was deleted.");
  }

  /** Somebody else than the last time finds nothing of theirs: neither kept, nor in this page's memory. */
  #greet(me: Me): void {
    const { keep } = this.ports;
    const last = keep.readPerson();
    if (last !== undefined && last !== me.principal.id) {
      this.chat.value.close();
      keep.clear();
      keep.writePerson(me.principal.id);
      this.#window.leave();
      return;
    }
    keep.writePerson(me.principal.id);
    this.session.value = { status: "signed_in", me };
  }

  #replaceChat(conversation: string | undefined): void {
    this.chat.value.close();
    this.edit.value = undefined;
    this.draft.value = this.#makeDraft(conversation);
    this.chat.value = this.#makeChat(conversation);
  }

  #makeChat(conversation: string | undefined): Chat {
    return new Chat(conversation ?? this.ports.uuid(), conversation === undefined, this.ports, {
      onAnnounce: (words) => this.notices.speak(words),
      onRefusal: (message) => this.notices.problem(message),
      onDone: (words) => this.notices.info(words),
      onActivity: () => {
        void this.list.refresh();
        void this.inbox.refresh();
        // The list is told of a turn's end after the conversation itself.
        this.ports.after(RETRY_MS, () => void this.list.refresh());
      },
    });
  }

  #makeDraft(conversation: string | undefined, keep: DraftPorts["keep"] = this.ports.keep): DraftBox {
    return new DraftBox(conversation ?? NEW_DRAFT, {
      keep,
      uuid: this.ports.uuid,
      preview: (file) => this.#window.preview(file),
      upload: (file, onProgress) => this.#uploadTo(this.chat.value, file, onProgress),
    });
  }

  /** Creates a new chat before its first file, and gives it its address: the file belongs to it from then on. */
  #uploadTo(chat: Chat, file: File, onProgress: (part: number) => void): Upload {
    if (!chat.isNew.value) return this.#window.upload(chat.id, file, onProgress);
    let running: Upload | undefined;
    const done = chat.create().then((refusal) => {
      if (refusal !== undefined) return { ok: false, error: refusal } as const;
      this.#window.go(chatPath(chat.id), "replace");
      this.draft.value.moveTo(chat.id);
      running = this.#window.upload(chat.id, file, onProgress);
      return running.done;
    });
    return { done, cancel: () => running?.cancel() };
  }
}

/** An edit is not kept over a reload: the message that it edits is still there. */
const FORGETFUL: DraftPorts["keep"] = { readDraft: () => EMPTY_DRAFT, writeDraft: () => undefined };

const DEFAULT_LIMITS: MessageLimits = {
  textUnits: MAX_TEXT_UNITS,
  filesPerMessage: MAX_FILES_PER_MESSAGE,
  fileBytes: MAX_FILE_BYTES,
};
