/** About six hundred words of Markdown with headings, a list, code and a table, to watch an answer arrive. */
export const LONG_TEXT = `# How a message lives here

You asked for something long, so here is the story of what happens to the message that you have just sent. It is also a good moment to watch the text arrive piece by piece, to press stop in the middle, or to reload the page: what has been said so far will still be there.

## It arrives

Your browser gives the message an id of its own before it sends it. If the connection breaks at a bad moment, the page sends the same message again with the same id, and the server answers with the receipt it gave the first time. A message is never taken twice, and a receipt is only given once the message has been written down.

The server does not believe what a page says about who you are. It looks at the session that came with the connection, asks the directory who that is and what this person may do *now*, and only then lets the message in.

## It is written down before anything happens

Every conversation is an object of its own, with a small database inside. Whatever the conversation decides, it first writes into that database in one piece, all of it or nothing:

1. the message itself and its place in the transcript,
2. the fact that a turn has begun, and for whom,
3. an alarm that rings at once if the machine should die.

Only then does the model get to see your words. If the power fails one moment later, the alarm rings as soon as the machine is back, the conversation reads what it had written, and the turn goes on from there. Nobody has to press anything.

## The answer streams

Words that are still on their way are treated as what they are: volatile. They travel to every open page with a number that says where they belong, so that a page that missed some can ask again, and no page ever shows a word twice.

\`\`\`ts
for await (const frame of model.stream(request, signal)) {
  if (frame.type === "text") publish(frame.text);
  if (frame.type === "end") commit(frame.message);
}
\`\`\`

When the answer is complete it becomes part of the transcript, again in one piece. From then on it cannot be lost.

## Tools, and the ones that wait

A model that only talks would be dull, so it may call tools. Some are harmless and may be repeated at will. Others reach out into the world, and for those the rules are stricter:

| tool | what it does | may it run again after a crash? | does it wait for a person? |
| --- | --- | --- | --- |
| \`current_time\` | tells the time in a zone | yes | no |
| \`calculate\` | does arithmetic, exactly | yes | no |
| \`add_note\` | keeps a note in this conversation | yes, it keeps it once | no |
| \`fetch_page\` | reads a public page | yes | no |
| \`send_webhook\` | posts to another machine | **no** | **yes** |

A call that waits shows you a card: what would run, with which words, and where to. It runs when you approve exactly that, and it runs once. If you decline, it never runs. If you go to sleep and answer tomorrow, the card is still there, because nothing in memory waits for you; the conversation is simply asleep as well, and costs nothing.

> And if a crash comes at the worst moment, in the middle of a call that must not be repeated? Then the honest answer is that nobody knows, and that is what you are told.

## And then it rests

When nothing is left to do, the conversation has no alarm, no timer and no connection that it keeps open for its own sake. It is a few rows in a database, waiting for your next message. You could send one now: *what time is it in Tokyo?*
`;
