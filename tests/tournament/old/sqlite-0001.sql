BEGIN TRANSACTION;
CREATE TABLE actions (
	match_id VARCHAR(32) NOT NULL, 
	sequence INTEGER NOT NULL, 
	seat SMALLINT NOT NULL, 
	action SMALLINT NOT NULL, 
	think_us BIGINT NOT NULL, 
	bank_us BIGINT NOT NULL, 
	said TEXT, 
	PRIMARY KEY (match_id, sequence), 
	FOREIGN KEY(match_id) REFERENCES matches (match_id)
)
 WITHOUT ROWID

;
INSERT INTO "actions" VALUES('04b52eae74b4aae3',0,1,769,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',1,0,765,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('04b52eae74b4aae3',2,0,770,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('04b52eae74b4aae3',3,0,19,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('04b52eae74b4aae3',4,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',5,1,761,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',6,1,775,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',7,1,84,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',8,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',9,0,83,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('04b52eae74b4aae3',10,0,785,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('04b52eae74b4aae3',11,0,764,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('04b52eae74b4aae3',12,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',13,1,766,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',14,1,50,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',15,1,49,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',16,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('04b52eae74b4aae3',17,0,29,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('04b52eae74b4aae3',18,0,794,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('04b52eae74b4aae3',19,0,19,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('556fca7f23940177',0,0,13,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('556fca7f23940177',1,0,171,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('556fca7f23940177',2,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',3,1,46,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',4,1,48,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',5,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',6,2,29,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',7,2,194,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',8,2,795,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',9,0,46,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('556fca7f23940177',10,0,732,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',11,1,50,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',12,1,49,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',13,0,44,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('556fca7f23940177',14,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',15,1,471,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',16,1,47,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',17,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',18,2,86,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',19,2,3,0,0,NULL);
INSERT INTO "actions" VALUES('556fca7f23940177',20,2,795,0,0,NULL);
INSERT INTO "actions" VALUES('bd65d3ed027df922',0,1,756,0,0,NULL);
INSERT INTO "actions" VALUES('bd65d3ed027df922',1,0,259,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('bd65d3ed027df922',2,0,770,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('e0271915e3c3d98d',0,0,182,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',1,1,176,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',2,0,180,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',3,1,182,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',4,0,181,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',5,1,181,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',6,0,162,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',7,0,5,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',8,0,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',9,1,193,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',10,1,161,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',11,1,9,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',12,1,163,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',13,1,0,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',14,1,160,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',15,1,10,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',16,1,164,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',17,1,32,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',18,1,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',19,0,192,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',20,0,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',21,1,74,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',22,1,73,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',23,1,165,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',24,1,21,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',25,1,163,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',26,1,53,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',27,1,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',28,0,193,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',29,0,160,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',30,0,164,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',31,0,2,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',32,0,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',33,1,193,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',34,1,8,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',35,1,167,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',36,1,40,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',37,1,168,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',38,1,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',39,0,192,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',40,0,37,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',41,0,166,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',42,0,9,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',43,0,165,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',44,0,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',45,1,193,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',46,1,22,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',47,1,163,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',48,1,5,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',49,1,162,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',50,1,54,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',51,1,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',52,0,193,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',53,0,20,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',54,0,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',55,1,192,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',56,1,10,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',57,1,161,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',58,1,37,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',59,1,163,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',60,1,20,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',61,1,166,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',62,1,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',63,0,192,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',64,0,165,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',65,0,41,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',66,0,194,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',67,1,5,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',68,1,163,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',69,1,9,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',70,1,166,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',71,1,73,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',72,1,74,0,0,NULL);
INSERT INTO "actions" VALUES('e0271915e3c3d98d',73,1,194,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',0,1,767,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',1,0,780,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',2,0,166,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',3,0,795,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',4,1,164,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',5,1,259,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',6,1,766,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',7,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',8,0,776,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',9,0,7,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',10,0,761,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',11,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',12,1,775,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',13,1,778,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',14,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',15,0,259,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',16,0,774,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',17,0,762,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',18,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',19,1,782,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',20,1,774,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',21,1,756,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',22,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',23,0,755,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',24,0,777,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',25,0,785,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',26,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',27,1,79,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',28,1,772,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',29,1,755,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',30,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',31,0,765,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',32,0,784,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',33,0,775,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',34,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',35,1,758,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',36,1,17,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',37,1,784,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',38,1,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',39,0,59,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',40,0,54,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',41,0,766,0,0,'[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO "actions" VALUES('fa2227c55fec086f',42,0,795,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',43,1,773,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',44,1,40,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',45,1,763,0,0,NULL);
INSERT INTO "actions" VALUES('fa2227c55fec086f',46,1,795,0,0,NULL);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE forfeits (
	match_id VARCHAR(32) NOT NULL, 
	seat SMALLINT NOT NULL, 
	sequence INTEGER NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	replacement VARCHAR(32) NOT NULL, 
	PRIMARY KEY (match_id, seat), 
	FOREIGN KEY(match_id) REFERENCES matches (match_id)
);
INSERT INTO "forfeits" VALUES('556fca7f23940177',1,3,'resigned','greedy');
CREATE TABLE matches (
	match_id VARCHAR(32) NOT NULL, 
	number BIGINT NOT NULL, 
	request_id VARCHAR(64), 
	spec TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	created DATETIME NOT NULL, 
	ended DATETIME, 
	outcome TEXT, 
	PRIMARY KEY (match_id), 
	UNIQUE (number), 
	UNIQUE (request_id)
);
INSERT INTO "matches" VALUES('fa2227c55fec086f',1,'first','{"match_id": "fa2227c55fec086f", "rules": {"game": "teutonica", "edition": "2009", "board": "standard-3", "players": 2, "missions": false, "favours": false, "turn_limit": 12}, "seed": "11", "players": ["anna", "bert"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "end", "forgiven": 3, "anonymous": false}','finished','2026-11-18 14:50:09.052970','2026-11-18 14:50:09.096773','{"reasons": ["turn limit"], "scores": [{"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}, {"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}], "ranks": [1, 1], "forfeits": [null, null]}');
INSERT INTO "matches" VALUES('e0271915e3c3d98d',2,NULL,'{"match_id": "e0271915e3c3d98d", "rules": {"game": "hansa", "edition": "2004", "board": "hansa-2004", "players": 2, "missions": false, "favours": false, "turn_limit": 12}, "seed": "12", "players": ["bert", "builtin:greedy"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "end", "forgiven": 3, "anonymous": false}','finished','2026-11-18 14:50:09.117654','2026-11-18 14:50:09.151984','{"reasons": ["turn limit"], "scores": [{"unsold": 2, "sold": 0, "cities": 12, "total": 14}, {"unsold": 2, "sold": 14, "cities": 24, "total": 40}], "ranks": [2, 1], "forfeits": [null, null]}');
INSERT INTO "matches" VALUES('556fca7f23940177',3,NULL,'{"match_id": "556fca7f23940177", "rules": {"game": "teutonica", "edition": "big-box", "board": "standard-3", "players": 3, "missions": false, "favours": false, "turn_limit": 6}, "seed": "13", "players": ["anna", "bert", "builtin:random"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "replace", "forgiven": 3, "anonymous": false}','finished','2026-11-18 14:50:09.168576','2026-11-18 14:50:09.188982','{"reasons": ["turn limit"], "scores": [{"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}, {"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 2, "network": 1, "missions": 0, "total": 3}, {"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}], "ranks": [1, 3, 1], "forfeits": [null, "resigned", null]}');
INSERT INTO "matches" VALUES('04b52eae74b4aae3',4,'running','{"match_id": "04b52eae74b4aae3", "rules": {"game": "teutonica", "edition": "2009", "board": "standard-3", "players": 2, "missions": false, "favours": false, "turn_limit": 30}, "seed": "14", "players": ["anna", "builtin:greedy"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "end", "forgiven": 3, "anonymous": false}','running','2026-11-18 14:50:09.211243',NULL,NULL);
INSERT INTO "matches" VALUES('bd65d3ed027df922',5,NULL,'{"match_id": "bd65d3ed027df922", "rules": {"game": "teutonica", "edition": "2009", "board": "standard-3", "players": 2, "missions": false, "favours": false, "turn_limit": 10}, "seed": "15", "players": ["anna", "builtin:random"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "end", "forgiven": 3, "anonymous": false}','aborted','2026-11-18 14:50:09.234179','2026-11-18 14:50:09.244779','{"reasons": ["aborted"], "scores": [{"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}, {"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}], "ranks": [1, 1], "forfeits": [null, null]}');
CREATE TABLE tokens (
	token_id VARCHAR(16) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME, 
	revoked DATETIME, 
	PRIMARY KEY (token_id), 
	UNIQUE (hash)
);
INSERT INTO "tokens" VALUES('c599430b','718959bfae82f2472e9fb2fd1ec0071d41b5ea32ef30b48f92e56ed77f3aee96','watcher','willi','2026-11-18 14:50:09.246811',NULL,NULL);
CREATE INDEX ix_matches_state ON matches (state);
COMMIT;
