/** A time of the API as a person reads it: to the second, still RFC 3339. */
export function moment(time: string): string {
  return time.replace(/\.\d+(?=Z$)/, '');
}

export function momentOrNull(time: string | null): string | null {
  return time === null ? null : moment(time);
}
