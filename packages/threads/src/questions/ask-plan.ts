import { type AskScope, type PermissionAnswer, refusal, scoped } from './ask.ts';
import { inputHash } from './input-hash.ts';
import { excerpt } from './shown-input.ts';

/** A plan is shown whole up to here. */
const LONGEST_PLAN = 40_000;

/**
 * Puts a plan to people. 👍 lets the agent go on with it; 👎 keeps it planning, and so does whatever someone
 * writes in the thread meanwhile, which the agent gets as feedback.
 *
 * @throws PlatformError when it could not be asked; the caller falls back to {@link askPermission}.
 */
export async function askPlan(
  scope: AskScope,
  request: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const input = structuredClone(request.input);
  const plan = typeof input.plan === 'string' ? input.plan.trim() : '';
  const decision = await scope.questions.ask(
    scoped(scope, {
      kind: 'plan',
      markdown: `📋 **Plan**\n\n${plan === '' ? 'The plan is empty.' : closeFence(excerpt(plan, LONGEST_PLAN))}`,
      options: [
        { key: 'allow', emoji: '+1', label: 'Go ahead', decided: 'Plan approved' },
        { key: 'deny', emoji: '-1', label: 'Keep planning', decided: 'Plan not approved' },
      ],
      takesText: true,
      subject: { title: 'Plan', tool: request.tool, inputHash: inputHash(input) },
    }),
    signal,
  );
  if (decision.kind === 'typed') {
    return {
      behavior: 'deny',
      message: `The plan is not approved yet. ${decision.by.name} writes: ${decision.text}`,
    };
  }
  if (decision.kind === 'chosen' && decision.option === 'allow') {
    return { behavior: 'allow', updatedInput: input };
  }
  const message =
    decision.kind === 'chosen' ? `${decision.by.name} did not approve the plan.` : refusal(decision);
  return { behavior: 'deny', message };
}

/** Ends a code block that the text leaves open, which would take in what follows. */
function closeFence(markdown: string): string {
  let open: string | null = null;
  for (const line of markdown.split('\n')) {
    const [, marks = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (marks === '') continue;
    if (open === null) open = marks;
    else if (marks.startsWith(open) && rest.trim() === '') open = null;
  }
  return open === null ? markdown : `${markdown}\n${open}`;
}
