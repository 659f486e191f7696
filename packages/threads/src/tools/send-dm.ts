import { nowMilliseconds, sanitizeName } from '@postern/kit';
import * as z from 'zod';
import { type Person, PlatformError } from '../platforms/platform.ts';
import { askDirectMessage } from '../questions/ask-direct-message.ts';
import { text } from './inputs.ts';
import { DIRECT_MESSAGES_PER_RECIPIENT } from './memory.ts';
import { defineTool, refuse, type ToolAnswer, type ToolContext } from './tool.ts';

const LONGEST_MESSAGE = 4_000;
const LONGEST_RECIPIENT = 128;

export const sendDm = defineTool({
  name: 'send_dm',
  description:
    "Sends a direct message to a member of the bot's channel. Call it when someone asks to have a person told privately. It begins with a line that says whose session it comes from. People are asked before the first message to each recipient, and each recipient gets at most 3 in a session.",
  input: z.object({
    recipient: text(
      'A name with or without @, or a user id or mention such as <@U0123ABC> where those are used.',
    ),
    message: text('The message in Markdown, at most 4,000 characters.'),
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  feature: null,
  async run({ recipient, message }, context) {
    const { platform, directMessages } = context;
    const fault = faultOf(recipient, message);
    if (fault !== null) return refuse(fault);
    if (!platform.capabilities.directMessages) return refuse('This platform has no direct messages.');
    const person = await platform.findPerson(recipient.trim());
    if (person === null) return refuse('Nobody of that name or id is known here.');
    if (person.id === (await platform.self(context.signal)).id) return refuse('That is the bot itself.');
    if (!(await platform.isMember(platform.channelId, person.id))) {
      return refuse("Only members of the bot's channel can be written to.");
    }
    const slot = await directMessages.take(person.id);
    if (slot === 'none_left') {
      return refuse(
        `This session has sent ${DIRECT_MESSAGES_PER_RECIPIENT} direct messages to that person; there are no more.`,
      );
    }
    if (slot === 'pending')
      return refuse('A direct message to that person is still waiting; send one at a time.');
    let isSent = false;
    try {
      const refusal = await ask(context, person, message);
      if (refusal !== null) return refuse(refusal);
      context.signal.throwIfAborted();
      return await send(context, person, message, () => {
        isSent = true;
      });
    } finally {
      await (isSent ? slot.done() : slot.giveBack());
    }
  },
});

function faultOf(recipient: string, message: string): string | null {
  const name = recipient.trim();
  if (name === '' || name === '@' || name.length > LONGEST_RECIPIENT || /\s/.test(name)) {
    return 'The recipient has to be one name or id.';
  }
  if (message.trim() === '') return 'The message is empty.';
  if ([...message].length > LONGEST_MESSAGE) {
    return `A direct message has at most ${LONGEST_MESSAGE} characters; shorten it, or send a file.`;
  }
  return null;
}

/** Why the message may not be sent, or null. */
async function ask(context: ToolContext, person: Person, message: string): Promise<string | null> {
  const { platform, session, questions, directMessages } = context;
  if (await directMessages.isAllowed(person.id)) return null;
  const scope = {
    questions,
    platformId: platform.id,
    sessionId: session.id,
    channelId: session.channelId,
    threadId: session.threadId,
    approvers: context.approvals,
    deadlineMs: nowMilliseconds(context.clock) + context.permissionTimeoutMs,
  };
  const answer = await askDirectMessage(scope, { recipient: person, text: message }, context.signal);
  if (answer.kind === 'refused') return answer.reason;
  if (answer.kind === 'always') await directMessages.allow(person.id);
  return null;
}

/** @param begun called once something has gone out, or may have. */
async function send(
  context: ToolContext,
  person: Person,
  message: string,
  begun: () => void,
): Promise<ToolAnswer> {
  const { platform, session } = context;
  const channelId = await platform.directChannel(person.id);
  const pieces = platform.split(`${await attribution(context)}\n${message}`);
  let postId: string | null = null;
  for (const [index, markdown] of pieces.entries()) {
    try {
      const ref = await platform.post({ channelId, threadId: null, markdown });
      postId ??= ref.postId;
      begun();
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'unknown') {
        begun();
        return refuse('The message may or may not have arrived; do not send it again unasked.');
      }
      if (index > 0) return refuse(`Only the first part of the message was sent: ${reasonOf(error)}`);
      throw error;
    }
  }
  await context.audit.record(platform.id, {
    action: 'direct_message',
    sessionId: session.id,
    channelId: session.channelId,
    threadId: session.threadId,
    actor: 'agent',
    tool: 'send_dm',
    details: { outcome: 'sent', recipient: person.id },
  });
  return { ok: true, postId };
}

/** Whose session it is and where, so that nobody takes the message for the bot's own or for someone else's. */
async function attribution({ platform, session }: ToolContext): Promise<string> {
  const channel = await platform.channel(session.channelId);
  const isDirect = channel?.visibility === 'direct';
  const place = isDirect ? 'a direct conversation' : plain(channel?.name ?? session.channelId);
  if (session.owner === null) return `**From an agent session in ${place}:**`;
  return `**From ${plain(session.owner.name || session.owner.id)}'s agent session in ${place}:**`;
}

/** A name without what Markdown or a platform would read as more. */
function plain(name: string): string {
  return sanitizeName(name, 'unknown').replace(/[*_`~[\]()<>\\|@#]/g, (mark) => (mark === '_' ? '\\_' : ''));
}

function reasonOf(error: unknown): string {
  return error instanceof PlatformError ? error.message : 'an unexpected error occurred.';
}
