/** Where a page begins; absent for the first one. */
export interface PageToken {
  pageToken?: string;
}

/** Yields every page of a list in order. It requests a page only when the previous one has been used. */
export async function* readAllPages<Answer extends { nextPageToken?: string | undefined }, Row>(
  request: (place: PageToken) => Promise<Answer>,
  rowsOf: (answer: Answer) => Row[],
): AsyncGenerator<Row[]> {
  let place: PageToken | undefined = {};
  while (place !== undefined) {
    const answer: Answer = await request(place);
    yield rowsOf(answer);
    place = answer.nextPageToken === undefined ? undefined : { pageToken: answer.nextPageToken };
  }
}
