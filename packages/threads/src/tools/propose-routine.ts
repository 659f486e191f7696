import * as z from 'zod';
import { text } from './inputs.ts';
import { proposeTask } from './propose-task.ts';
import { defineTool } from './tool.ts';

const schedule = z
  .object({
    preset: z.string().meta({
      enum: ['hourly', 'daily', 'weekdays', 'weekly'],
      description: 'hourly, daily, weekdays (Monday to Friday) or weekly.',
    }),
    time: z.string().nullish().meta({
      description: 'HH:MM on the wall clock; needed but for hourly, of which only the minute counts.',
    }),
    weekday: z.string().nullish().meta({ description: 'As monday; needed for weekly.' }),
    timezone: z
      .string()
      .nullish()
      .meta({ description: "An IANA name as Europe/Amsterdam; the bot host's without it." }),
  })
  .meta({ description: 'When it runs.' });

export const proposeRoutine = defineTool({
  name: 'propose_routine',
  description:
    'Proposes a task that recurs on a schedule. Call it when someone asks for something to be done regularly. It creates nothing: it posts a card in the thread and answers at once with status proposed_awaiting_human_approval; only a person who may approve it saves it. Each run is a session of its own, for the owner of this one.',
  input: z.object({
    name: text('A short name, at most 100 characters.'),
    prompt: text('The task that each run performs, complete in itself, at most 4,000 characters.'),
    schedule,
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  feature: 'routine_proposals',
  run: (input, context) => proposeTask('routine', input, context),
});
