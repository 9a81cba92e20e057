/** Where a page begins; absent for the first one. */
export interface PageToken {
  pageToken?: string;
}

/** Returns every page of a list in order. It asks for a page only when the one before has been used. */
export async function* readAllPages<Answer extends { nextPageToken?: string | undefined }, Row>(
  ask: (place: PageToken) => Promise<Answer>,
  rowsOf: (answer: Answer) => Row[],
): AsyncGenerator<Row[]> {
  let place: PageToken | undefined = {};
  while (place !== undefined) {
    const answer: Answer = await ask(place);
    yield rowsOf(answer);
    place = answer.nextPageToken === undefined ? undefined : { pageToken: answer.nextPageToken };
  }
}
