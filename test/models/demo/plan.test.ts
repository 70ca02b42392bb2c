import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/lib/json.ts";
import { type Plan, plan } from "../../../src/models/demo/plan.ts";
import { DEMO_MARK } from "../../../src/models/demo/words.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { assistant, requestOf, result, step, TOOLS, user } from "./kit.ts";

const after = (...messages: readonly Message[]): Plan => plan(requestOf(messages));
const calls = ({ calls: made }: Plan) => made.map(({ name, args }) => [name, args]);

const time = (zone?: string) => ["current_time", zone === undefined ? {} : { zone }];
const sum = (expression: string) => ["calculate", { expression }];
const note = (text: string) => ["add_note", { text }];
const find = (query: string) => ["search_notes", { query }];
const list = ["list_notes", {}];
const subagent = (task: string) => ["run_subagent", { task }];
const page = (url: string) => ["fetch_page", { url }];

describe("what the demo model understands", () => {
  it.each<[string, ReadonlyArray<readonly Json[]>]>([
    ["What time is it?", [time()]],
    ["what's the time in Tokyo?", [time("Asia/Tokyo")]],
    ["What time is it in New York right now?", [time("America/New_York")]],
    ["time in san francisco please", [time("America/Los_Angeles")]],
    ["Tell me the current time in Berlin and London.", [time("Europe/Berlin"), time("Europe/London")]],
    [
      "What time is it in Tokyo, Sydney and Paris?",
      [time("Asia/Tokyo"), time("Australia/Sydney"), time("Europe/Paris")],
    ],
    ["What's the time in Asia/Kathmandu?", [time("Asia/Kathmandu")]],
    ["What time is it in Atlantis?", [time("Atlantis")]],
    ["what is the date today", [time()]],
    ["time?", [time()]],
    ["berlin time", [time("Europe/Berlin")]],
    ["New York time please", [time("America/New_York")]],
    ["current time", [time()]],
    ["2+2", [sum("2+2")]],
    ["2 + 2 = ?", [sum("2 + 2")]],
    ["What is 12 times 12?", [sum("12 * 12")]],
    ["what's 17% of 2,340?", [sum("(17/100)*2340")]],
    ["Calculate (3 + 4) * 2^10.", [sum("(3 + 4) * 2^10")]],
    ["compute the square root of 2", [sum("sqrt(2)")]],
    ["how much is 100 divided by 7 minus 3", [sum("100 / 7 - 3")]],
    ["What is 3 x 4 and 5 squared?", [sum("3 * 4"), sum("5^2")]],
    ["what is 10 / 0", [sum("10 / 0")]],
    ["2+2 and the time in Oslo", [time("Europe/Oslo"), sum("2+2")]],
    ["What is -5 + 3?", [sum("-5 + 3")]],
    ["what is sin(pi) / 2?", [sum("sin(pi) / 2")]],
    ["What time is it in Oslo and what is 6*7?", [time("Europe/Oslo"), sum("6*7")]],
    ["Add a note: buy milk", [note("buy milk")]],
    ["Ask a subagent to calculate 17% of 2,340", [subagent("calculate 17% of 2,340")]],
    ["please use a sub-agent: what time is it?", [subagent("what time is it?")]],
    ["please take a note that the key is under the mat", [note("the key is under the mat")]],
    ["Note: call the build webhook at 5 * 3", [note("call the build webhook at 5 * 3")]],
    ["remember that I like tea", [note("I like tea")]],
    ["Could you write down: the wifi is called Althing?", [note("the wifi is called Althing?")]],
    ["list my notes", [list]],
    ["What are my notes?", [list]],
    ["Show me all notes and tell me the time in Rome", [time("Europe/Rome"), list]],
    ["notes", [list]],
    ["search my notes for milk", [find("milk")]],
    ["Find the note about the wifi.", [find("the wifi")]],
    ["what did I note about tea?", [find("tea")]],
    ["delete note n12", [["delete_note", { id: "n12" }]]],
    ["forget the note N7 please", [["delete_note", { id: "n7" }]]],
    ["Remind me to stretch at noon", [note("Reminder (no alarm will ring): stretch at noon")]],
    ["set a reminder for the meeting", [note("Reminder (no alarm will ring): the meeting")]],
    ["Read https://example.com/a?b=1.", [page("https://example.com/a?b=1")]],
    ["https://example.com", [page("https://example.com")]],
    ["summarise (https://example.com/x) for me", [page("https://example.com/x")]],
    ["fetch example.com", [page("https://example.com")]],
    ["open the page at docs.example.org/start!", [page("https://docs.example.org/start")]],
  ])("[G-34] %s", (text, expected) => {
    expect(calls(after(user(text)))).toEqual(expected);
  });

  it.each([
    ["Do something risky", "build"],
    ["Send a webhook", "build"],
    ["call the build webhook", "build"],
    ["please trigger the deploy", "deploy"],
    ["Call the DEPLOY webhook now", "deploy"],
  ])("[G-34] %s calls the webhook %s", (text, target) => {
    const { calls: made, text: said } = after(user(text));
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ name: "send_webhook", args: { target, body: { from: "the Althing demo model" } } });
    expect(said).toContain(`the webhook \`${target}\``);
    expect(said).toContain("only after somebody approved it");
  });

  it("[G-34] several tools at once are three calls of one step", () => {
    for (const text of [
      "Use several tools at once",
      "use many tools",
      "call three tools in parallel",
      "do several things at once",
    ]) {
      expect(calls(after(user(text)))).toEqual([time(), sum("6 * 7"), list]);
    }
  });

  it("[G-34] something long is about 600 words with headings, a list, code and a table", () => {
    for (const request of [
      "Write something long",
      "write a long story",
      "tell me a story",
      "Please write an essay about cats",
    ]) {
      const { text, calls: made } = after(assistant(`I am the ${DEMO_MARK}`), user(request));
      expect(made).toEqual([]);
      expect(text.split(/\s+/).length).toBeGreaterThan(500);
      for (const mark of ["# ", "\n## ", "\n1. ", "\n```ts\n", "\n| --- |", "\n> "]) expect(text).toContain(mark);
    }
  });

  it.each(["hello", "Hi there!", "what can you do?", "Who are you?", "help", "Good morning"])(
    "[G-34] %s gets what it can do",
    (text) => {
      const answer = after(user(text));
      expect(answer.calls).toEqual([]);
      expect(answer.text).toContain("Here is what I can do.");
      expect(answer.text).not.toContain("I did not find anything");
    },
  );

  it.each([
    "What is the meaning of life?",
    "What is a webhook?",
    "Meet me on 2025-11-29.",
    "My phone number is 555-1234.",
    "Explain the deploy to me",
    "¿Qué hora es?",
    "I have 2 cats",
    "\u0000\ud83d",
  ])("[G-34] %j calls nothing and gets what it can do", (text) => {
    const answer = after(user(text));
    expect(answer.calls).toEqual([]);
    expect(answer.text).toContain("I did not find anything in that which I know how to do. Here is what I can do.");
  });

  it.each([
    ["thanks!", "You are welcome."],
    ["How do I set a key?", "`npx wrangler secret put ANTHROPIC_API_KEY`"],
    ["add a note", "What should the note say?"],
    ["remind me", "what is it about?"],
  ])("[G-34] %s is answered without a tool", (text, words) => {
    const answer = after(user(text));
    expect(answer.calls).toEqual([]);
    expect(answer.text).toContain(words);
  });

  it("[G-34] what it calls fits the real tools", () => {
    for (const text of [
      "time in Tokyo",
      "2+2",
      "note: x",
      "search my notes for x",
      "delete note n1",
      "Use several tools",
      "risky",
      "https://example.com",
    ]) {
      for (const { name, args } of after(user(text)).calls) {
        const tool = TOOLS.find((candidate) => candidate.name === name);
        expect(tool?.validate(args), `${text}: ${name}`).toMatchObject({ ok: true });
      }
    }
  });

  it("[G-34] makes at most 8 calls", () => {
    const nine = "a b c d e f g h i".split(" ").map((letter) => `https://example.com/${letter}`);
    expect(after(user(nine.join(" "))).calls).toHaveLength(8);
    expect(after(user(nine.slice(1).join(" "))).calls).toHaveLength(8);
  });
});

describe("files and reminders", () => {
  const file = { id: "f1", name: "a `b`\nreport.txt", mime: "text/plain", bytes: 12_345 };

  it("[G-46] says name, type and size of a file and nothing of what is inside", () => {
    const { text, calls: made } = after({ role: "user", content: [{ type: "file", file }] });
    expect(made).toEqual([]);
    expect(text).toContain("I see the file `a 'b' report.txt` (`text/plain`, 12.3 KB). I cannot look inside");
  });

  it.each([
    [0, "0 bytes"],
    [999, "999 bytes"],
    [1_000, "1.0 KB"],
    [10_485_760, "10.5 MB"],
    [5_000_000_000, "5000.0 MB"],
  ])("[G-46] writes %i bytes as %s", (bytes, words) => {
    const { text } = after({ role: "user", content: [{ type: "file", file: { ...file, bytes } }] });
    expect(text).toContain(`, ${words})`);
  });

  it("[G-46] [G-34] a file with words does both", () => {
    const message = {
      role: "user",
      content: [
        { type: "file", file },
        { type: "text", text: "what is 2+2?" },
      ],
    } as const;
    const answer = after(message);
    expect(answer.text).toContain("I see the file");
    expect(calls(answer)).toEqual([sum("2+2")]);
    const vague = after({
      ...message,
      content: [
        { type: "file", file },
        { type: "text", text: "what do you think?" },
      ],
    });
    expect(vague.text).not.toContain("I did not find anything");
  });

  it("[G-45] promises no reminder, before and after the note is kept", () => {
    const asked = after(user("Remind me to stretch"));
    expect(asked.text).toContain("keeping the reminder as a note");
    const told = after(
      user("Remind me to stretch"),
      step(["add_note", asked.calls[0]?.args]),
      result("add_note", "Note n3 is kept: x"),
    );
    expect(told.text).toContain(
      "There is no scheduler here yet, so nothing will remind you. I kept it as a note instead.",
    );
    const without = plan(requestOf([user("Remind me to stretch")], { tools: [] }));
    expect(without.text).toContain("nothing will remind you");
    expect(without.calls).toEqual([]);
  });
});

describe("what is offered", () => {
  const everything = "time in Tokyo and 2+2 and list my notes and https://example.com and a webhook";

  it("[G-35] calls nothing that is not offered and says plainly what is missing", () => {
    const { text, calls: made } = plan(requestOf([user(everything)], { tools: [] }));
    expect(made).toEqual([]);
    for (const tool of ["current_time", "calculate", "list_notes", "fetch_page"]) {
      expect(text).toContain(`I need the tool \`${tool}\`, which is not offered here.`);
    }
    expect(text).toContain("none is offered here. An operator adds one under `webhooks` in `althing.config.ts`.");
  });

  it("[G-35] any subset of the tools is never overstepped", () => {
    const { tools } = requestOf([]);
    for (const removed of tools) {
      const left = tools.filter((tool) => tool !== removed);
      for (const text of [everything, "note: x", "search my notes for y", "delete note n1", "several tools"]) {
        const made = plan(requestOf([user(text)], { tools: left })).calls;
        for (const { name } of made) expect(left.map((tool) => tool.name)).toContain(name);
      }
    }
  });

  it("[G-35] a webhook tool without listed targets gets a target all the same", () => {
    const tools = [{ name: "send_webhook", description: "x", parameters: {} }];
    expect(plan(requestOf([user("risky")], { tools })).calls[0]?.args).toMatchObject({ target: "default" });
  });
});

describe("being a demo", () => {
  it("[G-33] says so and how to set a key in its first answer, and not again", () => {
    const first = after(user("2+2")).text;
    expect(first).toContain(DEMO_MARK);
    expect(first).toContain("`ANTHROPIC_API_KEY=…` or `OPENAI_API_KEY=…` into `.dev.vars`");
    expect(first).toContain("`npx wrangler secret put ANTHROPIC_API_KEY`");
    expect(after(user("hello"), assistant(first), user("thanks")).text).not.toContain(DEMO_MARK);
  });

  it("[G-33] says it once in a turn with tools, and again after another model's answers", () => {
    const step1 = after(user("2+2"));
    const message = step(["calculate", { expression: "2+2" }]);
    const spoken = { ...message, content: [{ type: "text" as const, text: step1.text }, ...message.content] };
    expect(after(user("2+2"), spoken, result("calculate", "2+2 = 4")).text).toBe("`2+2 = 4`");
    expect(after(user("hi"), assistant("I am another model."), user("hi")).text).toContain(DEMO_MARK);
  });

  it.each([
    ["Ask me something", "ask_user"],
    ["please ask me a question", "ask_user"],
    ["Do you have any question?", "ask_user"],
    ["ask me a few questions", "ask_questions"],
    ["Ask me three things", "ask_questions"],
    ["call ask_questions", "ask_questions"],
  ])("[N-1] [N-2] %s", (text, tool) => {
    expect(calls(after(user(text))).map(([name]) => name)).toEqual([tool]);
  });

  it("[O-22] hands a task to a subagent, asks what it is where nothing is said, and tells what it heard", () => {
    expect(calls(after(user("Ask a subagent to count to ten")))).toEqual([subagent("count to ten")]);
    expect(after(user("ask a subagent")).text).toMatch(/What should the subagent do\?/);
    const told = after(
      user("Ask a subagent to count"),
      step(["run_subagent", { task: "count" }]),
      result("run_subagent", "One, two, three."),
    );
    expect(told.text).toMatch(/The subagent answered:[\s\S]*> One, two, three\./);
  });
});
