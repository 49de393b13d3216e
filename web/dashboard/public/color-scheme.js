// Before the first paint: the scheme that the user chose, so that a dark page does not flash white. Mantine keeps the
// choice.
(() => {
  const chosen = localStorage.getItem('mantine-color-scheme-value') ?? 'auto';
  const dark = chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
