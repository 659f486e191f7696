import type { Config } from '../../config/load.ts';
import { ConfigError, describeProblem } from '../../config/problem.ts';
import { checkBounces } from '../../doctor/bounces.ts';
import { type Finding, failed, ok, warning } from '../../doctor/check.ts';
import { checkDiscord } from '../../doctor/discord.ts';
import { checkIMessage } from '../../doctor/imessage.ts';
import { checkAgentCli, checkAgentLogin, checkBuild, checkNode, checkPort } from '../../doctor/machine.ts';
import { checkPeople } from '../../doctor/people.ts';
import { checkPublicUrl, checkServices, isServer } from '../../doctor/server.ts';
import { checkDatabase, checkDataFolder, checkSecrets } from '../../doctor/state.ts';
import { checkThreads } from '../../doctor/threads.ts';
import { localUrl } from '../../hub/address.ts';
import { readServerUrl } from '../../hub/run-files.ts';
import { runningProcess } from '../../operator/running.ts';
import { DONE, FAILED, type Invocation } from '../command.ts';

const MARKS = { ok: 'ok      ', warning: 'warning ', failed: 'FAILED  ' } as const;

/** `postern doctor`: exit code 1 when a check failed; warnings alone are 0. */
export async function doctor(invocation: Invocation): Promise<number> {
  const findings = await examine(invocation);
  const isWell = findings.every((finding) => finding.status !== 'failed');
  if (invocation.has('json')) {
    invocation.say(JSON.stringify({ ok: isWell, checks: findings }, null, 2));
  } else {
    for (const { status, check, message, fix } of findings) {
      invocation.say(`${MARKS[status]}${check}: ${message}`);
      if (fix !== undefined) invocation.say(`        -> ${fix}`);
    }
  }
  return isWell ? DONE : FAILED;
}

async function examine(invocation: Invocation): Promise<Finding[]> {
  const findings = [checkNode()];
  let config: Config;
  try {
    const loaded = await invocation.config();
    config = loaded.config;
    findings.push(ok('config', config.file ?? 'No file; flags, environment and defaults'));
    findings.push(
      ...loaded.warnings.map((line) =>
        warning('config', line, 'See the list of settings in postern help serve'),
      ),
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.problems.map((problem) =>
      failed('config', describeProblem(problem), problem.fix ?? 'Correct or remove it'),
    );
    return [...findings, ...faults, checkBuild()];
  }
  const running = await runningProcess(config);
  const url = readServerUrl(config.dataDir) ?? localUrl(config.host, config.port);
  const isRunning = (running !== null || config.databaseUrl !== null) && (await isServer(url));
  return [
    ...findings,
    await checkDataFolder(config),
    checkSecrets(config),
    await checkDatabase(config),
    ...(await checkListener(config, { running, isRunning, url })),
    await checkPublicUrl(config, isRunning),
    await checkAgentCli(config.claudePath, config.threads !== null),
    ...(config.threads?.claudeAccounts.length === 0 ? await checkAgentLogin(config.claudePath) : []),
    ...(await checkBounces(config)),
    ...(await checkDiscord(config)),
    ...(await checkIMessage(config)),
    ...(await checkPeople(config)),
    ...(await checkThreads(config)),
    checkBuild(),
  ];
}

async function checkListener(
  config: Config,
  {
    running,
    isRunning,
    url,
  }: { running: { pid: number | undefined } | null; isRunning: boolean; url: string },
): Promise<Finding[]> {
  if (isRunning) {
    return [
      ok('server', `Runs at ${url}${running?.pid === undefined ? '' : ` as process ${running.pid}`}`),
      ...(await checkServices(url)),
    ];
  }
  if (running === null) return [ok('server', 'Does not run'), await checkPort(config)];
  const holder = `Process ${running.pid ?? '(unknown)'} holds the data folder and does not answer at ${url}`;
  return [warning('server', holder, 'It may be starting or stopping; see its log')];
}
