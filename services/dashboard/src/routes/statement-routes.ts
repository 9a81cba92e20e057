import type { Request } from 'express';
import { type StatementResponse, statementQuery } from '../../wire/statements.ts';
import type { DashboardContext } from '../context.ts';
import { parseRequest } from '../http/parse-request.ts';
import { sendCsv } from '../http/send-csv.ts';
import { statementPdf } from '../statements/statement-pdf.ts';
import { toStatementResponse } from '../statements/statement-response.ts';
import { STATEMENT_COLUMNS, statementRows } from '../statements/statement-rows.ts';
import { type ApiRoute, type HolderExchange, holderRoute } from './api-route.ts';

export function statementRoutes({ config }: DashboardContext): ApiRoute[] {
  const read = async ({ req, accountId, reads }: HolderExchange): Promise<StatementResponse> => {
    const month = monthOf(req);
    return toStatementResponse(await reads.getHolderStatement({ accountId, month }));
  };

  return [
    holderRoute('admin', 'GET', '/api/statements', async (exchange) => {
      exchange.res.json(await read(exchange));
    }),

    holderRoute('admin', 'GET', '/api/statements.csv', async (exchange) => {
      const statement = await read(exchange);
      async function* rows() {
        yield* statementRows(statement);
      }
      const fileName = `statement-${statement.month}.csv`;
      await sendCsv(exchange.res, { fileName, header: STATEMENT_COLUMNS, rows: rows() });
    }),

    holderRoute('admin', 'GET', '/api/statements.pdf', async (exchange) => {
      const statement = await read(exchange);
      const pdf = await statementPdf(statement, config.product.name);
      exchange.res.setHeader(
        'content-disposition',
        `attachment; filename="statement-${statement.month}.pdf"`,
      );
      exchange.res.type('pdf').send(pdf);
    }),
  ];
}

function monthOf(req: Request): string {
  return parseRequest(statementQuery, req.query).month;
}
