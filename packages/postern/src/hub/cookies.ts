/** The one cookie Postern sets. */
export const SESSION_COOKIE = 'postern_session';

/** The value of a cookie in a `Cookie` field, or null. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key = '', ...value] = pair.trim().split('=');
    if (key === name) return value.join('=');
  }
  return null;
}

/** A `Set-Cookie` field for the session; `secret` null ends it. */
export function sessionCookie(
  secret: string | null,
  options: { secure: boolean; maxAgeSeconds: number },
): string {
  const parts = [`${SESSION_COOKIE}=${secret ?? ''}`, 'HttpOnly', 'SameSite=Strict', 'Path=/'];
  parts.push(`Max-Age=${secret === null ? 0 : options.maxAgeSeconds}`);
  if (options.secure) parts.push('Secure');
  return parts.join('; ');
}
