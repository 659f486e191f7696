import { loginUrl } from '../../console/login-url.ts';
import { createLoginToken } from '../../console/sessions.ts';
import { exposureWarnings, listenerUrl, localUrl } from '../../hub/address.ts';
import { type Hub, openHub } from '../../hub/hub.ts';
import { removeServerUrl, writeServerUrl } from '../../hub/run-files.ts';
import { StopSignals } from '../../hub/stop-signals.ts';
import { summary } from '../../hub/summary.ts';
import { Refusal } from '../../secrets/data-folder.ts';
import { DONE, FAILED, type Invocation } from '../command.ts';

/** Time from the signal to the end of the process; contract: 10 s, with a second kept for the way out. */
const STOP_MS = 9_000;
/** What is still open this long before the end is cut off, so that the database can be closed in order. */
const CUT_BEFORE_END_MS = 2_000;

/** `postern serve`: runs until SIGTERM or SIGINT. */
export async function serve(invocation: Invocation): Promise<number> {
  const signals = new StopSignals(invocation.stderr.isTTY === true);
  const { config, warnings } = await invocation.config();
  const hub = await openHub(config, { prettyLog: invocation.stderr.isTTY === true });
  const { log } = hub;
  endOnFaults(log);
  for (const warning of [...warnings, ...exposureWarnings(config)]) log.warn(warning);

  let url: string | null = null;
  try {
    const port = await listen(hub);
    await hub.start();
    url = localUrl(config.host, port);
    writeServerUrl(config.dataDir, url);
    const link = invocation.stdout.isTTY === true ? await consoleLink(hub) : null;
    invocation.say(
      summary({ config, publicUrl: hub.publicUrl(), environment: invocation.environment, link }),
    );
    invocation.say(`Postern ready on ${listenerUrl(config.host, port)}`);
    log.info({ url, publicUrl: hub.publicUrl() }, 'ready');
    log.info({ signal: await signals.first }, 'stopping');
  } finally {
    if (url !== null) removeServerUrl(config.dataDir, url);
    await stop(hub);
    signals.dispose();
  }
  log.info('stopped');
  return DONE;
}

/** The port that is listened on. @throws Refusal when it can't be. */
async function listen({ app, config }: Hub): Promise<number> {
  const { host, port } = config;
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new Refusal(listenFault(error as NodeJS.ErrnoException, host, port));
  }
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function listenFault(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use; stop what uses it, or choose another with POSTERN_PORT or --port`;
    case 'EACCES':
      return `port ${port} on ${host} needs more rights than this account has; choose one above 1023 with POSTERN_PORT or --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine; see POSTERN_HOST or --host`;
    default:
      return `cannot listen on ${listenerUrl(host, port)} (${error.code ?? error.message})`;
  }
}

async function consoleLink(hub: Hub): Promise<string> {
  const { token } = await createLoginToken(hub.sessions);
  return loginUrl(hub.publicUrl(), token);
}

/** Closes everything in order; what does not come to an end by itself is cut off in time. */
async function stop(hub: Hub): Promise<void> {
  const cut = setTimeout(() => {
    hub.log.warn('some requests did not end in time and are cut off');
    hub.app.server.closeAllConnections();
  }, STOP_MS - CUT_BEFORE_END_MS);
  // Left running: should something keep the process alive after all is closed, it ends all the same.
  setTimeout(() => {
    hub.log.error('not everything could be closed in time');
    process.exit(DONE);
  }, STOP_MS).unref();
  try {
    await hub.close();
  } finally {
    clearTimeout(cut);
  }
}

/** A fault nobody foresaw leaves the process in a state nobody knows: it is told, and the process ends. */
function endOnFaults(log: Hub['log']): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, 'unexpected fault; the process ends');
      process.exit(FAILED);
    });
  }
}
