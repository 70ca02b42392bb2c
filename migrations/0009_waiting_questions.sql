-- Questions wait for people beside the cards of calls. One is named by its prompt in the place of a hold, has neither digest
-- nor tool, and asks for no tier.
ALTER TABLE open_cards ADD COLUMN kind TEXT NOT NULL DEFAULT 'approval' CHECK (kind IN ('approval', 'question'));
