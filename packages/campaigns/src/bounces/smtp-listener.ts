import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { CampaignsPorts } from '../ports.ts';
import { tokensOf } from '../tokens.ts';
import { ehloName } from '../transports/relay-address.ts';
import { takeReport } from './intake.ts';
import { serveSession } from './smtp-session.ts';

/** Names that complaints and servers' own reports are sent to. */
const ROLE_NAMES: ReadonlySet<string> = new Set([
  'abuse',
  'fbl',
  'complaints',
  'postmaster',
  'mailer-daemon',
]);
const MOST_CONNECTIONS = 50;

export interface BounceListener {
  /** Resolves when it listens. @throws Error when the port is taken or not ours to open. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Where it listens; null while it does not. */
  address(): { readonly host: string; readonly port: number } | null;
}

/** Listens for bounces and complaints, where the configuration says (`campaigns.bounces.smtp`). */
export function createBounceListener(
  ports: CampaignsPorts,
  { host, port }: { readonly host: string; readonly port: number },
): BounceListener {
  const tokens = tokensOf(ports.installationKey);
  const open = new Set<Socket>();
  const rules = {
    hostName: ehloName(ports.config.returnPathDomain, ports.publicUrl()),
    accepts(address: string): boolean {
      const local = address.slice(0, Math.max(0, address.lastIndexOf('@'))).toLowerCase();
      return ROLE_NAMES.has(local) || tokens.readBounce(local) !== null;
    },
    async take(message: Buffer, to: readonly string[]): Promise<void> {
      try {
        const outcome = await takeReport(ports, message, to);
        ports.log.debug({ outcome, to: to.length }, 'a report came back');
      } catch (error) {
        ports.log.error({ err: error }, 'a report could not be taken in; its sender will come again');
        throw error;
      }
    },
  };
  let server: Server | undefined;

  return {
    async start() {
      const listening = createServer((socket) => {
        open.add(socket);
        socket.once('close', () => open.delete(socket));
        serveSession(socket, rules);
      });
      listening.maxConnections = MOST_CONNECTIONS;
      await new Promise<void>((resolve, reject) => {
        listening.once('error', reject);
        listening.listen(port, host, resolve);
      });
      listening.on('error', (error) => ports.log.error({ err: error }, 'the bounce listener failed'));
      server = listening;
      const { port: taken } = listening.address() as AddressInfo;
      ports.log.info({ host, port: taken }, 'listening for bounces and complaints');
    },
    async stop() {
      const closing = server;
      server = undefined;
      if (!closing) return;
      const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
    address() {
      const at = server?.address() as AddressInfo | null | undefined;
      return at ? { host: at.address, port: at.port } : null;
    },
  };
}
