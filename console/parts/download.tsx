/** Saves a text that this page has made as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once, because the browser reads the URL a little later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
