/** Returns the body of a chat with sim/chat-free that says "hi", with these members besides or instead. */
export function chatBody(members: object = {}): Record<string, unknown> {
  return { model: 'sim/chat-free', messages: [{ role: 'user', content: 'hi' }], ...members };
}
