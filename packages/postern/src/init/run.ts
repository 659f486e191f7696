import { mkdirSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { PlatformError } from '@postern/threads';
import { type ConfigProblem, describeProblem } from '../config/problem.ts';
import { Refusal } from '../secrets/data-folder.ts';
import type { Draft, PermissionMode, PlatformKind } from './answers.ts';
import { type Asking, answer, choice, confirm } from './asking.ts';
import { readConfigFile, replaceConfigFile } from './config-file.ts';
import { type ThreadsDocument, threadsDocument } from './document.ts';
import type { Given } from './given.ts';
import { askLocal } from './local.ts';
import { mattermostKind } from './mattermost.ts';
import type { PlatformAnswers } from './platform-questions.ts';
import { Abandoned } from './prompter.ts';
import { platformId, type WorkingDir, workingDir } from './readers.ts';
import { askRemote, type Platforms } from './remote.ts';
import { slackKind } from './slack.ts';

export interface SetUp {
  readonly asking: Asking;
  readonly given: Given;
  readonly platforms: Platforms;
  /** Absolute, and as the user named it. */
  readonly file: { readonly path: string; readonly name: string };
  /** Absolute. */
  readonly dataDir: string;
  /** Absolute; where a relative folder in a flag or an answer starts. */
  readonly workingDirectory: string;
  /** What is wrong with a configuration in the folder of the file, together with flags and environment. */
  problems(path: string): readonly ConfigProblem[];
}

/**
 * Asks for one platform, and writes it into the configuration file; nothing is written before all is answered.
 *
 * @throws Refusal, UsageError, Abandoned
 */
export async function setUp(means: SetUp): Promise<Draft> {
  const { asking, given, file, problems } = means;
  const before = readConfigFile(file.path, file.name);
  const document = threadsDocument(before.text, file.name);
  const kind = await askKind(asking, given);
  const id = await askId(asking, given, kind, document);
  const answers = await askPlatform(kind, means);
  const folder = await askWorkingDir(means, document);
  const permissionMode = await askPermissionMode(asking, given);
  const draft: Draft = { id, ...answers, permissionMode };
  const question = `Write this to ${file.name}`;
  if (!(await confirm(asking, question, { fallback: true, otherwise: true })))
    throw new Abandoned('declined');

  if (folder !== null) document.setWorkingDir(folder.text);
  document.put(draft);
  if (before.mode !== null && before.mode !== 0o600) {
    asking.say(`Note: ${file.name} is for its owner alone now (0600); it was ${before.mode.toString(8)}.`);
  }
  const known = new Set(before.text === null ? [] : problems(before.path).map(keyOf));
  replaceConfigFile(before, document.toString(), (path) => {
    const found = problems(path).filter((problem) => !known.has(keyOf(problem)));
    if (found.length === 0) return;
    const list = found.map((problem) => describeProblem({ ...problem, place: file.name })).join('; ');
    throw new Refusal(`nothing was written, since ${list}`);
  });
  if (folder?.exists === false) mkdirSync(folder.path, { recursive: true });
  return draft;
}

const keyOf = ({ key, message }: ConfigProblem): string => `${key}: ${message}`;

function askKind(asking: Asking, given: Given): Promise<PlatformKind> {
  return answer(
    asking,
    choice(
      [
        { key: 'local', meaning: 'the chat in the console; no account anywhere' },
        { key: 'mattermost', meaning: 'a channel of your Mattermost; see docs/mattermost.md' },
        { key: 'slack', meaning: 'a channel of your Slack; see docs/slack.md' },
      ],
      {
        source: '--platform',
        question: 'Where do people write to the agent',
        given: given.platform,
        ...(asking.prompter === null ? {} : { fallback: 'local' }),
      },
    ),
  );
}

async function askId(
  asking: Asking,
  given: Given,
  kind: PlatformKind,
  { platforms }: ThreadsDocument,
): Promise<string> {
  let wanted = given.id ?? kind;
  for (;;) {
    const id = await answer(asking, {
      source: '--id',
      placeholder: 'ID',
      question: 'A short name for the platform, for records and logs',
      given: wanted,
      read: platformId,
    });
    const there = platforms.get(id);
    if (there === undefined || given.replace) return id;
    if (asking.prompter === null) {
      throw new Refusal(
        `the file has a platform ${id} (${there}); add --replace to change it, or --id for another one`,
      );
    }
    const question = `The file has a platform ${id} (${there}). Change it`;
    if (await confirm(asking, question, { fallback: false, otherwise: false })) return id;
    wanted = await answer(asking, {
      source: '--id',
      placeholder: 'ID',
      question: 'Another short name then',
      read: platformId,
    });
  }
}

function askPlatform(
  kind: PlatformKind,
  { asking, given, platforms }: Pick<SetUp, 'asking' | 'given' | 'platforms'>,
): Promise<PlatformAnswers> {
  return inWords(() => {
    switch (kind) {
      case 'local':
        return askLocal(asking, given);
      case 'mattermost':
        return askRemote(asking, given, platforms, mattermostKind(asking, given));
      case 'slack':
        return askRemote(asking, given, platforms, slackKind(asking, given));
    }
  });
}

async function inWords<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError) throw new Refusal(error.message);
    throw error;
  }
}

/** Null: what stands in the file stays, since no flag says another. */
async function askWorkingDir(
  { asking, given, file, workingDirectory, dataDir }: SetUp,
  document: ThreadsDocument,
): Promise<WorkingDir | null> {
  if (given.workingDir === undefined && document.workingDir !== null) {
    asking.say(`Agents work in ${document.workingDir}, as ${file.name} says.`);
    return null;
  }
  const base = dirname(file.path);
  const folder = await answer(asking, {
    source: '--working-dir',
    placeholder: 'DIR',
    question: 'Folder that agents work in; it is made where there is none',
    ...(asking.prompter === null ? {} : { fallback: './work' }),
    given: given.workingDir,
    read: (text) => workingDir(text, { workingDirectory, base, dataDir }),
  });
  if (dataDir.startsWith(folder.path + sep)) {
    asking.say(
      `Note: ${folder.path} holds Postern's own data. Agents are kept out of that, but a folder of its own is safer.`,
    );
  }
  return folder;
}

async function askPermissionMode(asking: Asking, given: Given): Promise<PermissionMode> {
  let asked = given.permissionMode;
  for (;;) {
    const mode = await answer(
      asking,
      choice<PermissionMode>(
        [
          { key: 'default', meaning: 'people approve in the thread what the agent wants to do' },
          { key: 'auto', meaning: "the agent's own judgement approves what it holds to be harmless" },
          { key: 'bypass', meaning: 'nothing is asked, whatever it does' },
        ],
        { source: '--permission-mode', question: 'Permissions', fallback: 'default', given: asked },
      ),
    );
    if (mode !== 'bypass') return mode;
    asking.say(BYPASS_WARNING);
    if (await confirm(asking, 'Let it', { fallback: false, otherwise: true })) return mode;
    asked = undefined;
  }
}

const BYPASS_WARNING =
  'Warning: with bypass, whoever may start a session can have any command run and any file read or changed that the user of this server can, and nobody is asked. Use it only in a container or on a machine that holds nothing else.';
