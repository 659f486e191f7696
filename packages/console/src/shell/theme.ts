import { useSyncExternalStore } from 'react';
import { storedValue, useStored } from '../lib/storage.ts';

export type Theme = 'system' | 'light' | 'dark';

export const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** `public/theme.js` reads the same entry before the first paint. */
export const chosenTheme = storedValue<Theme>(
  'theme',
  (found) => themes.find((theme) => theme === found) ?? 'system',
);

export function applyTheme(): void {
  const theme = chosenTheme.read();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const DARK = '(prefers-color-scheme: dark)';

function subscribeToSystem(listener: () => void): () => void {
  const query = window.matchMedia(DARK);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** What the reader sees now, whoever decided it. */
export function useShownTheme(): 'light' | 'dark' {
  const theme = useStored(chosenTheme);
  const systemIsDark = useSyncExternalStore(subscribeToSystem, () => window.matchMedia(DARK).matches);
  if (theme !== 'system') return theme;
  return systemIsDark ? 'dark' : 'light';
}
