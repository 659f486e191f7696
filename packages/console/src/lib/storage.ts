import { useSyncExternalStore } from 'react';

/**
 * Small JSON values kept in this browser. Storage may be full, switched off or hold what an older page
 * wrote, so reading checks and writing never throws; within one page the value is kept either way.
 */
export interface StoredValue<T> {
  read(): T;
  write(value: T): void;
  subscribe(listener: () => void): () => void;
}

const PREFIX = 'postern.';

/**
 * @param parse gives the value for what was found (null when nothing was); it must not throw.
 * @param kept `tab` for what belongs to one tab only and ends with it.
 */
export function storedValue<T>(
  name: string,
  parse: (found: unknown) => T,
  kept: 'browser' | 'tab' = 'browser',
): StoredValue<T> {
  const key = PREFIX + name;
  const area = () => (kept === 'tab' ? sessionStorage : localStorage);
  const listeners = new Set<() => void>();
  let current: { readonly value: T } | null = null;

  function load(): T {
    try {
      const text = area().getItem(key);
      return parse(text === null ? null : JSON.parse(text));
    } catch {
      return parse(null);
    }
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  if (typeof window !== 'undefined') {
    window.addEventListener('storage', (event) => {
      if (kept === 'tab' || (event.key !== key && event.key !== null)) return;
      current = null;
      tell();
    });
  }

  return {
    read() {
      current ??= { value: load() };
      return current.value;
    },
    write(value) {
      current = { value };
      try {
        area().setItem(key, JSON.stringify(value));
      } catch {
        // Kept for as long as the page is open.
      }
      tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStored<T>(stored: StoredValue<T>): T {
  return useSyncExternalStore(stored.subscribe, stored.read);
}
