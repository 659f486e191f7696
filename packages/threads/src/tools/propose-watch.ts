import * as z from 'zod';
import { text } from './inputs.ts';
import { proposeTask } from './propose-task.ts';
import { defineTool } from './tool.ts';

export const proposeWatch = defineTool({
  name: 'propose_watch',
  description:
    "Proposes a watch on the bot's channel: when someone writes a message that meets a condition, a session does a task. Call it when someone asks for something to be done whenever a thing is said. It creates nothing: it posts a card in the thread and answers at once with status proposed_awaiting_human_approval; only a person who may approve it saves it.",
  input: z.object({
    name: text('A short name, at most 100 characters.'),
    condition: text('When it fires, in natural language, at most 1,000 characters.'),
    prompt: text('The task that each fire performs, complete in itself, at most 4,000 characters.'),
    keywords: z.array(z.string(), { error: 'must be a list of texts' }).meta({
      description:
        'One to 20 words or phrases; only messages that hold one of them, in any case, are looked at.',
    }),
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  feature: 'watch_proposals',
  run: (input, context) => proposeTask('watch', input, context),
});
