// Runs before the first paint so that a chosen theme never flashes; the page itself takes over later.
try {
  const theme = JSON.parse(localStorage.getItem('postern.theme'));
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be switched off; the system's theme is used then.
}
