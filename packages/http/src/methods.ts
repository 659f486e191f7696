/** Which methods each path takes, for `Allow` and for telling 405 from 404. */
export class MethodTable {
  readonly #routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** Notes a route; `url` is a pattern with `:parameters` and a final `*`. */
  add(methods: string | readonly string[], url: string): void {
    const source = url
      .split('/')
      .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.split('*').map(literal).join('.*')))
      .join('/');
    this.#routes.push({ pattern: new RegExp(`^${source}$`), methods: [methods].flat() });
  }

  /** The methods of a path, OPTIONS included; none when the path does not exist. */
  allowed(path: string): string[] {
    const found = new Set(
      this.#routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods),
    );
    if (found.size === 0) return [];
    if (found.has('GET')) found.add('HEAD');
    return [...found.add('OPTIONS')].sort();
  }
}

function literal(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
