import * as z from 'zod';
import { optionEmoji } from '../platforms/emoji.ts';
import { type AskScope, type PermissionAnswer, refusal, scoped } from './ask.ts';
import { inputHash } from './input-hash.ts';
import { excerpt, visible } from './shown-input.ts';
import { glyph } from './texts.ts';

const choice = z.object({
  question: z.string().min(1),
  header: z.string().optional(),
  options: z.array(z.object({ label: z.string().min(1), description: z.string().optional() })).max(200),
  multiSelect: z.boolean().optional(),
});

const choices = z.object({ questions: z.array(choice).min(1).max(20) });

type Choice = z.output<typeof choice>;

const LONGEST_LABEL = 300;

/**
 * Puts the questions of an agent to people, one post after the other: a reaction picks an option, and whatever is
 * written in the thread is an answer too. The agent gets all answers, keyed by the questions' texts.
 *
 * @returns null for what this cannot ask: several choices in one question, or a shape it does not know. The
 *   caller then falls back to letting the agent go on without answers.
 * @throws PlatformError when a question could not be asked.
 */
export async function askChoices(
  scope: AskScope,
  request: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<PermissionAnswer | null> {
  const input = structuredClone(request.input);
  const parsed = choices.safeParse(input);
  if (!parsed.success || parsed.data.questions.some(({ multiSelect }) => multiSelect === true)) return null;
  const { questions } = parsed.data;
  const answers = new Map<string, string>();
  for (const [index, each] of questions.entries()) {
    const emoji = optionEmoji(each.options.length);
    const decision = await scope.questions.ask(
      scoped(scope, {
        kind: 'choice',
        markdown: choiceText(each, emoji, questions.length > 1 ? `${index + 1}/${questions.length} ` : ''),
        options: each.options.map(({ label }, position) => ({
          key: `option_${position + 1}`,
          emoji: emoji[position] ?? null,
          label: visible(excerpt(label, LONGEST_LABEL)),
        })),
        takesText: true,
        subject: {
          title: `Question: ${visible(each.question).slice(0, LONGEST_LABEL).toWellFormed()}`,
          tool: request.tool,
          inputHash: inputHash(input),
        },
      }),
      signal,
    );
    if (decision.kind === 'typed') answers.set(each.question, typedAnswer(each, decision.text));
    else if (decision.kind === 'chosen') answers.set(each.question, chosenLabel(each, decision.option));
    else return { behavior: 'deny', message: refusal(decision) };
  }
  return { behavior: 'allow', updatedInput: { ...input, answers: Object.fromEntries(answers) } };
}

function choiceText({ header, question, options }: Choice, emoji: readonly string[], count: string): string {
  const title =
    header === undefined || header === '' ? '' : `**${visible(header).replaceAll(/[*\n]/g, ' ')}** `;
  const lines = options.map(({ label, description }, index) => {
    const sign = emoji[index] === undefined ? `${index + 1}.` : glyph(emoji[index]);
    const what = `${sign} **${visible(excerpt(label, LONGEST_LABEL)).replaceAll('\n', ' ')}**`;
    return description ? `${what}: ${visible(excerpt(description)).replaceAll('\n', ' ')}` : what;
  });
  return [`❓ ${count}${title}`.trimEnd(), visible(excerpt(question)), '', ...lines].join('\n').trimEnd();
}

function chosenLabel({ options }: Choice, key: string): string {
  return options[Number(key.replace('option_', '')) - 1]?.label ?? key;
}

/** An option's label, or its number where no label is a number itself, picks it; all else is an answer of its own. */
function typedAnswer({ options }: Choice, text: string): string {
  const fold = (label: string) => label.trim().toLowerCase();
  const named = options.find(({ label }) => fold(label) === fold(text));
  if (named !== undefined) return named.label;
  const hasNumbers = options.some(({ label }) => /^\d+$/.test(label.trim()));
  const numbered =
    /^\d{1,3}[.)]?$/.test(text) && !hasNumbers ? options[Number.parseInt(text, 10) - 1] : undefined;
  return numbered?.label ?? text;
}
