import type { Connector } from './connectors/connector.ts';
import type { InboxPorts } from './ports.ts';
export async function runInboxWorkers(
  _p: InboxPorts,
  _c: (s: string) => Connector | undefined,
  _s: AbortSignal,
): Promise<void> {}
