-- How each session of the dashboard began; null: before this migration.
ALTER TABLE "dashboard_sessions" ADD COLUMN "sign_in_way" TEXT;
