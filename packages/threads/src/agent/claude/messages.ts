import type { AgentContent, AgentMessage } from '../agent.ts';

/** A message as the CLI takes it. Its uuid comes back once the message is in the session's history. */
export function inputLine({ uuid, content }: AgentMessage): object {
  return { type: 'user', uuid, message: { role: 'user', content: content.map(block) } };
}

function block(content: AgentContent): object {
  if (content.type === 'text') return content;
  const { type, mime, base64 } = content;
  return { type, source: { type: 'base64', media_type: mime, data: base64 } };
}
