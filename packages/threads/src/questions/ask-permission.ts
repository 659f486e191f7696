import type { ToolAllowances } from '../tools/tool.ts';
import { ALLOW_ONCE, type AskScope, DENY, type PermissionAnswer, refusal, scoped } from './ask.ts';
import { inputHash } from './input-hash.ts';
import { inlineCode, shownInput, visible } from './shown-input.ts';

/** What tools act on, shown beside their name. */
const TARGETS = ['file_path', 'notebook_path', 'path', 'url'];
const LONGEST_TOOL = 200;

/**
 * Asks whether an agent may use a tool, unless someone has let it use that tool for the rest of the session. The
 * answer is bound to the input as it is now: what is allowed is what was shown.
 *
 * @throws PlatformError when it could not be asked, which is a no.
 */
export async function askPermission(
  scope: AskScope,
  allowances: ToolAllowances,
  request: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { tool } = request;
  const input = structuredClone(request.input);
  if (await allowances.has(tool)) return { behavior: 'allow', updatedInput: input };
  const decision = await scope.questions.ask(
    scoped(scope, {
      kind: 'permission',
      markdown: permissionText(tool, input),
      options: [
        ALLOW_ONCE,
        {
          key: 'always',
          emoji: 'white_check_mark',
          label: `Allow all further uses of ${toolName(tool)} in this session`,
          decided: `Allowed, as are all further uses of ${toolName(tool)} in this session,`,
        },
        DENY,
      ],
      takesText: false,
      subject: { title: `Permission for ${tool}`.slice(0, LONGEST_TOOL), tool, inputHash: inputHash(input) },
    }),
    signal,
  );
  if (decision.kind !== 'chosen' || (decision.option !== 'allow' && decision.option !== 'always')) {
    return { behavior: 'deny', message: refusal(decision) };
  }
  if (decision.option === 'always') await allowances.allow(tool, decision.by);
  return { behavior: 'allow', updatedInput: input };
}

/** What people decide on: the tool and everything it is to be given. */
export function permissionText(tool: string, input: Readonly<Record<string, unknown>>): string {
  const target = TARGETS.find((key) => typeof input[key] === 'string' && inlineCode(input[key]) !== null);
  const { [target ?? '']: named, ...rest } = input;
  const title = `⚠️ **Permission requested:** ${toolName(tool)}`;
  const head = typeof named === 'string' ? `${title} ${inlineCode(named)}` : title;
  const fields = shownInput(rest);
  return fields === '' ? head : `${head}\n${fields}`;
}

function toolName(tool: string): string {
  return visible(tool.slice(0, LONGEST_TOOL)).replaceAll(/[`*\s]/g, '_');
}
