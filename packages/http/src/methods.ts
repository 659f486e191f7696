/**
 * Which methods each path takes, for `Allow` and for telling 405 from 404. A path that is a route as it stands
 * takes the methods of that route alone, also where it would fit the pattern of another, as OpenAPI has it
 * (3.1, Paths Object: concrete before templated).
 */
export class MethodTable {
  readonly #concrete = new Map<string, Set<string>>();
  readonly #patterns: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** Notes a route; `url` is a pattern with `:parameters` and a final `*`. */
  add(methods: string | readonly string[], url: string): void {
    const taken = [methods].flat();
    if (!isPattern(url)) {
      this.#concrete.set(url, new Set([...(this.#concrete.get(url) ?? []), ...taken]));
      return;
    }
    const source = url
      .split('/')
      .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.split('*').map(literal).join('.*')))
      .join('/');
    this.#patterns.push({ pattern: new RegExp(`^${source}$`), methods: taken });
  }

  /** The methods of a path, OPTIONS included; none when the path does not exist. */
  allowed(path: string): string[] {
    const found = new Set(
      this.#concrete.get(path) ??
        this.#patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods),
    );
    if (found.size === 0) return [];
    if (found.has('GET')) found.add('HEAD');
    return [...found.add('OPTIONS')].sort();
  }

  /** Whether a request came to the pattern `url` only because the route that its path is has other methods. */
  isMisrouted(url: string | undefined, path: string): boolean {
    return url !== undefined && isPattern(url) && this.#concrete.has(path);
  }
}

function isPattern(url: string): boolean {
  return /[:*]/.test(url);
}

function literal(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
