import { systemRandom } from '@postern/kit';
import { DataFolderLockedError } from '@postern/store/lock';
import type { Invocation } from '../cli/command.ts';
import type { Config, HubConfig } from '../config/load.ts';
import { ConfigError } from '../config/problem.ts';
import { readServerUrl } from '../hub/run-files.ts';
import { Refusal } from '../secrets/data-folder.ts';
import { readSecret } from '../secrets/generated.ts';
import { Secret } from '../secrets/secret.ts';
import { type Method, type OperatorApi, readAnswer } from './api.ts';
import { runningProcess } from './running.ts';

/** A single call of an operator: a listing or a change of one thing. */
const CALL_MS = 60_000;

/**
 * Reaches the API: through the running server when it holds the data folder, else by opening database and
 * services here. On PostgreSQL they are always opened here, since several processes may share them.
 */
export async function connectOperator(invocation: Invocation): Promise<OperatorApi> {
  let config: Config;
  try {
    ({ config } = await invocation.config());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // What its services lack here, the server that runs may have: the tokens of platforms, say.
    const hub = await invocation.hubConfig();
    const running = await runningProcess(hub);
    if (running === null) throw error;
    return reachServer(hub, running.pid);
  }
  // An address there is a sign of a server. Only then is it worth looking, since whoever looks holds the folder for a moment.
  const serving = readServerUrl(config.dataDir) === null ? null : await runningProcess(config);
  if (serving !== null) return reachServer(config, serving.pid);
  try {
    return await openHere(config);
  } catch (error) {
    if (error instanceof DataFolderLockedError) return reachServer(config, error.pid);
    throw error;
  }
}

async function openHere(config: Config): Promise<OperatorApi> {
  const { openHub } = await import('../hub/hub.ts');
  // The bootstrap key may have been revoked; whoever holds the data folder is the operator all the same.
  const operatorSecret = new Secret(Buffer.from(systemRandom.bytes(32)).toString('base64url'));
  const hub = await openHub(config, { logLevel: 'warn', operatorSecret });
  const authorization = `Bearer ${operatorSecret.reveal()}`;
  return {
    running: false,
    async call(method, path, body) {
      const answer = await hub.app.inject({
        method,
        url: path,
        headers: { authorization, host: 'localhost' },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      return readAnswer(answer.statusCode, answer.body);
    },
    close: () => hub.close(),
  };
}

function reachServer(config: HubConfig, pid: number | undefined): OperatorApi {
  const url = readServerUrl(config.dataDir);
  if (url === null) {
    throw new Refusal(
      `process ${pid ?? '(unknown)'} holds the data folder ${config.dataDir} and does not answer requests yet; try again in a moment`,
    );
  }
  const key = config.adminKey ?? readSecret(config.dataDir, 'adminKey');
  if (key === null) {
    throw new Refusal(
      'the running server was given its admin key: set POSTERN_ADMIN_KEY or POSTERN_ADMIN_KEY_FILE here too',
    );
  }
  return {
    running: true,
    call: (method, path, body) => callServer(url, key.reveal(), method, path, body),
    close: async () => {},
  };
}

async function callServer(
  url: string,
  key: string,
  method: Method,
  path: string,
  body: unknown,
): Promise<unknown> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    text = await answer.text();
  } catch {
    throw new Refusal(`the server at ${url} does not answer; see its log`);
  }
  if (answer.status === 401) {
    throw new Refusal(
      'the running server has another admin key, or this one was revoked: set POSTERN_ADMIN_KEY or POSTERN_ADMIN_KEY_FILE to one it takes',
    );
  }
  return readAnswer(answer.status, text);
}
