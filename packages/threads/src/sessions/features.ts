import type { PlatformBehaviour } from '../config.ts';
import type { SessionTable } from '../tables.ts';
import type { ToolFeature } from '../tools/tool.ts';

/**
 * Which of the agent's own features a session has. What runs unattended acts on text that nobody vouches for, so it
 * neither writes memory nor proposes more of its kind; a whole channel is no place to propose in either.
 */
export function featuresOf(
  behaviour: Pick<PlatformBehaviour, 'memory' | 'routines' | 'watches'>,
  session: Pick<SessionTable, 'kind' | 'is_unattended'>,
): ToolFeature[] {
  const isAttended = session.is_unattended === 0;
  const mayPropose = isAttended && session.kind === 'thread';
  const features: [ToolFeature, boolean][] = [
    ['memory', behaviour.memory],
    ['memory_write', behaviour.memory && isAttended],
    ['routines', behaviour.routines],
    ['routine_proposals', behaviour.routines && mayPropose],
    ['watches', behaviour.watches],
    ['watch_proposals', behaviour.watches && mayPropose],
  ];
  return features.filter(([, isOn]) => isOn).map(([feature]) => feature);
}
