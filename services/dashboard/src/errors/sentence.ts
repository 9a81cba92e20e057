/** Capitalizes a message and adds a full stop: `a team needs a name` → `A team needs a name.` */
export function sentence(text: string): string {
  const capitalised = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capitalised) ? capitalised : `${capitalised}.`;
}
