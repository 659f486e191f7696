import { storedValue } from '../lib/storage.ts';

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

/** What the reader sees now, whoever decided it. */
export function shownTheme(theme: Theme): 'light' | 'dark' {
  if (theme !== 'system') return theme;
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
