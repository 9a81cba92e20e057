/** Names who did something; `type` is that of an actor of the audit log. */
export function actorName({ email, id, type }: { type: string; id: string | null; email: string | null }) {
  const kind = type.replaceAll('_', ' ');
  return email || (id ? `${kind} ${id}` : kind);
}
