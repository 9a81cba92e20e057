-- This reads the whole table, while others go on.
ALTER TABLE "usage_records" VALIDATE CONSTRAINT "usage_records_no_arrival";
ALTER TABLE "usage_records" VALIDATE CONSTRAINT "usage_records_units";
