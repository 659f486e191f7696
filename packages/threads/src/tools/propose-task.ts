import { refuse, type ToolAnswer, type ToolContext } from './tool.ts';

/**
 * Puts a standing task to people, for a session. Nothing is saved here: a card is posted, and what comes of it is
 * for the people who may approve it. The task will run for the session's owner.
 */
export async function proposeTask(
  kind: 'routine' | 'watch',
  draft: Readonly<Record<string, unknown>>,
  { session, tasks, platform, audit }: ToolContext,
): Promise<ToolAnswer> {
  if (tasks === null || session.owner === null) return refuse(`There are no ${kind}s here.`);
  if (session.isUnattended) {
    return refuse('Nobody follows this session live, and such a session proposes no more of its kind.');
  }
  if (session.threadId === null)
    return refuse(`A ${kind} is proposed in a thread, not where a whole channel is one session.`);
  const fault = tasks.whyNot(kind, 'make');
  if (fault !== null) return refuse(fault);
  const reading = tasks.read(kind, draft);
  if (!reading.ok) return refuse(reading.reason);
  await audit.record(platform.id, {
    action: 'proposal',
    sessionId: session.id,
    channelId: session.channelId,
    threadId: session.threadId,
    actor: 'agent',
    tool: `propose_${kind}`,
    details: { kind, name: reading.draft.name, for: session.owner.id },
  });
  const failure = await tasks.propose({
    draft: reading.draft,
    creator: session.owner,
    isByAgent: true,
    sessionId: session.id,
    channelId: session.channelId,
    threadId: session.threadId,
  });
  if (failure !== null) return refuse(`It could not be shown to anybody: ${failure}`);
  return {
    ok: true,
    status: 'proposed_awaiting_human_approval',
    note: 'Nothing is saved yet. A person decides by a reaction on the card; do not wait for it and do not propose it again.',
  };
}
