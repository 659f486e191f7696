/** The link of a one-time token. The token stands behind the `#`, which no browser sends to a server or proxy. */
export function loginUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/console/login#token=${token}`;
}
