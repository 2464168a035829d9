/** Whether a text is an absolute http or https URL. */
export function isWebUrl(text: string): boolean {
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  return protocol === "http:" || protocol === "https:";
}
