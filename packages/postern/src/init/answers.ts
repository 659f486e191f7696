import type { PlatformConfig } from '@postern/threads';

/** What set-up finds out, before it is written. */
export interface Draft {
  readonly id: string;
  readonly platform: LocalDraft | MattermostDraft | SlackDraft;
  readonly people: readonly NamedPerson[];
  readonly permissionMode: PermissionMode;
}

export type PermissionMode = PlatformConfig['permissionMode'];
export type PlatformKind = PlatformConfig['type'];

export interface LocalDraft {
  readonly type: 'local';
  readonly channel: NamedId;
  readonly botName: string;
}

export interface MattermostDraft {
  readonly type: 'mattermost';
  readonly url: string;
  readonly token: Token;
  readonly channel: NamedId;
  readonly botName: string;
}

export interface SlackDraft {
  readonly type: 'slack';
  readonly botToken: Token;
  readonly appToken: Token;
  readonly apiUrl: string | null;
  readonly channel: NamedId;
  readonly botName: string;
}

export interface NamedId {
  readonly id: string;
  /** For people who read the file; null where it says no more than the id. */
  readonly name: string | null;
}

export type NamedPerson = NamedId;

export interface Token {
  readonly value: string;
  /** Where it came from: the file then refers to the variable; null: it was typed, and stands in the file. */
  readonly variable: string | null;
}
