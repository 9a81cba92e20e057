CREATE INDEX CONCURRENTLY "allowances_budgets" ON "allowances" USING gin ("budgets") WHERE "closed_at" IS NULL AND "budgets" <> '{}';
