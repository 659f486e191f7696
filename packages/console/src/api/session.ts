import { request } from './http.ts';

export interface Session {
  readonly version: string;
  /** Base of the addresses that others use to reach this Postern. */
  readonly public_url: string;
  /** What an agent program on the server's machine starts for the inbox's tools: a program and its arguments. */
  readonly inbox_command: readonly string[];
  readonly services: { readonly inbox: boolean; readonly threads: boolean; readonly campaigns: boolean };
}

export const sessionApi = {
  /** Trades the token of a one-time link for a cookie. */
  login: (token: string) => request<void>('POST', '/console/api/login', { body: { token } }),
  logout: () => request<void>('POST', '/console/api/logout'),
  /** 401 when signed out. */
  read: (signal?: AbortSignal) => request<Session>('GET', '/console/api/session', { signal }),
};
