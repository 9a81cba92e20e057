import { setImmediate as letOthersRun } from 'node:timers/promises';
import { balanceLines, isZero, OTHER_MONTH } from '@model-gateway/shared/statement-lines';
import type { StatementResponse } from '../../wire/statements.ts';

/** Distances in points, 72 to the inch. */
const MARGIN = 50;
const NUMBER_WIDTH = 120;
const COUNT_WIDTH = 70;
/** Rows that are drawn at a time, because each takes about a millisecond. */
const ROWS_AT_A_TIME = 50;

/**
 * Creates the statement as a PDF of A4 pages.
 * @param product name of the product, part of the title
 * @param now printed as the time of the statement, in UTC
 */
export async function statementPdf(
  statement: StatementResponse,
  product: string,
  now = new Date(),
): Promise<Buffer> {
  // Loaded at the first use, because it is slow to load and few processes need it.
  const { default: PDFDocument } = await import('pdfkit');
  const title = `${product}: statement ${statement.month}`;
  const pdf = new PDFDocument({ size: 'A4', margin: MARGIN, info: { Title: printable(title) } });
  const chunks: Buffer[] = [];
  const isDone = new Promise<void>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });

  const heading = (text: string) => {
    pdf.moveDown(1).font('Helvetica-Bold').fontSize(12).text(printable(text), MARGIN);
    pdf.moveDown(0.4).font('Helvetica').fontSize(9);
  };
  const table = async (columns: (number | '*')[], rows: string[][]) => {
    for (let start = 0; start < rows.length; start += ROWS_AT_A_TIME) {
      pdf.table({
        columnStyles: columns.map((width, index) => ({
          width,
          align: { x: index === 0 ? 'left' : 'right' },
        })),
        defaultStyle: { border: { bottom: 0.5 }, borderColor: '#cccccc', padding: 4 },
        data: rows.slice(start, start + ROWS_AT_A_TIME).map((row) => row.map(printable)),
      });
      await letOthersRun();
    }
  };
  const spend = async (first: string, rows: [name: string, requests: number, usd: string][]) => {
    const other = isZero(statement.otherMonthUsd) ? [] : [[OTHER_MONTH, '', statement.otherMonthUsd]];
    await table(
      ['*', COUNT_WIDTH, NUMBER_WIDTH],
      [
        [first, 'Requests', 'USD'],
        ...rows.map(([name, requests, usd]) => [name, requests.toLocaleString('en-US'), usd]),
        ...other,
      ],
    );
  };

  const { email, name, accountId, month, isComplete } = statement;
  pdf.font('Helvetica-Bold').fontSize(18).text(printable(product));
  pdf.fontSize(13).text(`Statement ${month} (UTC)`);
  pdf.moveDown(0.5).font('Helvetica').fontSize(9);
  pdf.text(printable(`Account: ${name}, ${email}, ${accountId}`));
  const until = isComplete ? '' : ' The month has not ended.';
  pdf.text(
    `Created ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC. All amounts in US dollars.${until}`,
  );
  heading('Balance');
  await table(
    ['*', NUMBER_WIDTH],
    balanceLines(statement).map((line) => [line.name, line.usd ?? 'unlimited']),
  );
  heading('Spend by model');
  await spend(
    'Model',
    statement.models.map(({ model, requests, amountUsd }) => [model, requests, amountUsd]),
  );
  heading('Spend by key and seat');
  await spend(
    'Key or seat',
    statement.keys.map(({ name: key, team, requests, amountUsd }) => [
      team === null ? key : `${key} (${team})`,
      requests,
      amountUsd,
    ]),
  );
  pdf.end();
  await isDone;
  return Buffer.concat(chunks);
}

/** Replaces characters outside Latin-1, which the standard fonts of PDF lack. */
function printable(text: string): string {
  return text.normalize('NFC').replace(/[^\x20-\x7e\xa0-\xff]/gu, '?');
}
