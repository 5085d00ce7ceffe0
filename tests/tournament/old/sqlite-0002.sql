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
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE blocks (
	tournament VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	seat_table SMALLINT NOT NULL, 
	round INTEGER NOT NULL, 
	seatings TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	attempt INTEGER NOT NULL, 
	chain VARCHAR(64) NOT NULL, 
	PRIMARY KEY (tournament, number), 
	FOREIGN KEY(tournament) REFERENCES tournaments (name)
)
 WITHOUT ROWID

;
INSERT INTO "blocks" VALUES('done',0,0,1,'[["random","greedy"],["greedy","random"]]','finished',0,'95a4dce038b4d38290343a45e38117d01f64b275d8cc05c37476348fda98c904');
INSERT INTO "blocks" VALUES('open',0,0,1,'[["random","greedy"],["greedy","random"]]','finished',0,'95a4dce038b4d38290343a45e38117d01f64b275d8cc05c37476348fda98c904');
INSERT INTO "blocks" VALUES('open',1,0,1,'[["greedy","anna"],["anna","greedy"]]','running',0,'');
INSERT INTO "blocks" VALUES('open',2,0,1,'[["anna","random"],["random","anna"]]','made',0,'');
INSERT INTO "blocks" VALUES('open',3,0,2,'[["random","greedy"],["greedy","random"]]','finished',0,'');
INSERT INTO "blocks" VALUES('open',4,0,2,'[["greedy","anna"],["anna","greedy"]]','made',0,'');
INSERT INTO "blocks" VALUES('open',5,0,2,'[["anna","random"],["random","anna"]]','made',0,'');
CREATE TABLE entrants (
	tournament VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	uses TEXT NOT NULL, 
	entered INTEGER NOT NULL, 
	withdrawn INTEGER, 
	PRIMARY KEY (tournament, name), 
	FOREIGN KEY(tournament) REFERENCES tournaments (name)
);
INSERT INTO "entrants" VALUES('done','random',0,'builtin:random',0,NULL);
INSERT INTO "entrants" VALUES('done','greedy',1,'builtin:greedy',0,NULL);
INSERT INTO "entrants" VALUES('open','random',0,'builtin:random',0,NULL);
INSERT INTO "entrants" VALUES('open','greedy',1,'builtin:greedy',0,NULL);
INSERT INTO "entrants" VALUES('open','anna',2,'connected',0,NULL);
CREATE TABLE fits (
	tournament VARCHAR(64) NOT NULL, 
	pool VARCHAR(128) NOT NULL, 
	blocks INTEGER NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (tournament, pool), 
	FOREIGN KEY(tournament) REFERENCES tournaments (name)
);
INSERT INTO "fits" VALUES('done','teutonica:2009:standard-3:2p:10t',1,'[{"bot":"greedy","place":1,"rating":1675.8026,"error":null,"places":[1,2],"first":0.5089,"blocks":1,"provisional":true,"component":0},{"bot":"random","place":2,"rating":1324.1974,"error":null,"places":[1,2],"first":0.4911,"blocks":1,"provisional":true,"component":0}]');
INSERT INTO "fits" VALUES('open','teutonica:2009:standard-3:2p:10t',2,'[{"bot":"greedy","place":1,"rating":1723.4958,"error":1270.8489,"places":[1,1],"first":0.9992,"blocks":2,"provisional":true,"component":0},{"bot":"random","place":2,"rating":1276.5042,"error":1270.8489,"places":[2,2],"first":0.0008,"blocks":2,"provisional":true,"component":0}]');
CREATE TABLE forfeits (
	match_id VARCHAR(32) NOT NULL, 
	seat SMALLINT NOT NULL, 
	sequence INTEGER NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	replacement VARCHAR(32) NOT NULL, 
	PRIMARY KEY (match_id, seat), 
	FOREIGN KEY(match_id) REFERENCES matches (match_id)
);
CREATE TABLE games (
	tournament VARCHAR(64) NOT NULL, 
	block INTEGER NOT NULL, 
	game SMALLINT NOT NULL, 
	match_id VARCHAR(32) NOT NULL, 
	result TEXT, 
	PRIMARY KEY (tournament, block, game), 
	FOREIGN KEY(tournament) REFERENCES tournaments (name), 
	UNIQUE (match_id)
)
 WITHOUT ROWID

;
INSERT INTO "games" VALUES('done',0,0,'2447d363379fa6fd','[[2,1],[0,8],{},["turn limit"],43,"2a0f59e64e7d55280a92556ad372fb1de125ee4167a43e3f3eb110f073f4b3fc"]');
INSERT INTO "games" VALUES('done',0,1,'e14335b003b13b52','[[1,2],[6,0],{},["turn limit"],41,"2ab4a6a5011fa4c07fcc3d502b64958aad6a5ca085d15fa7cae63dacdc440904"]');
INSERT INTO "games" VALUES('open',0,0,'69a9a14f5e63786b','[[2,1],[0,8],{},["turn limit"],43,"2a0f59e64e7d55280a92556ad372fb1de125ee4167a43e3f3eb110f073f4b3fc"]');
INSERT INTO "games" VALUES('open',0,1,'affc856aa0b387a1','[[1,2],[6,0],{},["turn limit"],41,"2ab4a6a5011fa4c07fcc3d502b64958aad6a5ca085d15fa7cae63dacdc440904"]');
INSERT INTO "games" VALUES('open',1,0,'ec5d2e885b1f5c3b',NULL);
INSERT INTO "games" VALUES('open',3,0,'2ca27c1cf0a40ed3','[[2,1],[0,4],{},["turn limit"],39,"5562f9c88c24707197503b846d2ef36d8c924bf5ed26cda7c857e18e3844327d"]');
INSERT INTO "games" VALUES('open',3,1,'0403e3f2568b5488','[[1,2],[4,0],{},["turn limit"],40,"c5240a0e71fe47a9dc607bef448542fd868d03b416b75c4ece354cd8db092e6c"]');
CREATE TABLE logs (
	match_id VARCHAR(32) NOT NULL, 
	bot VARCHAR(64) NOT NULL, 
	created DATETIME NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (match_id, bot)
);
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
INSERT INTO "matches" VALUES('2447d363379fa6fd',1,NULL,'{"match_id":"2447d363379fa6fd","seed":"3547509563207982326","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["random","greedy"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:random","builtin:greedy"]}','finished','2026-11-18 16:22:53.186299','2026-11-18 16:22:53.186299','{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0},{"track":0,"abilities":0,"markers":3,"prestige":0,"cities":4,"network":1,"missions":0,"total":8}],"ranks":[2,1],"forfeits":[null,null]}');
INSERT INTO "matches" VALUES('e14335b003b13b52',2,NULL,'{"match_id":"e14335b003b13b52","seed":"3547509563207982326","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["greedy","random"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:greedy","builtin:random"]}','finished','2026-11-18 16:22:53.186299','2026-11-18 16:22:53.186299','{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":1,"prestige":0,"cities":4,"network":1,"missions":0,"total":6},{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0}],"ranks":[1,2],"forfeits":[null,null]}');
INSERT INTO "matches" VALUES('69a9a14f5e63786b',3,NULL,'{"match_id":"69a9a14f5e63786b","seed":"3547509563207982326","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["random","greedy"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:random","builtin:greedy"]}','finished','2026-11-18 16:22:53.239682','2026-11-18 16:22:53.239682','{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0},{"track":0,"abilities":0,"markers":3,"prestige":0,"cities":4,"network":1,"missions":0,"total":8}],"ranks":[2,1],"forfeits":[null,null]}');
INSERT INTO "matches" VALUES('affc856aa0b387a1',4,NULL,'{"match_id":"affc856aa0b387a1","seed":"3547509563207982326","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["greedy","random"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:greedy","builtin:random"]}','finished','2026-11-18 16:22:53.239682','2026-11-18 16:22:53.239682','{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":1,"prestige":0,"cities":4,"network":1,"missions":0,"total":6},{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0}],"ranks":[1,2],"forfeits":[null,null]}');
INSERT INTO "matches" VALUES('2ca27c1cf0a40ed3',5,NULL,'{"match_id":"2ca27c1cf0a40ed3","seed":"1569306072888918622","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["random","greedy"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:random","builtin:greedy"]}','finished','2026-11-18 16:22:53.239682','2026-11-18 16:22:53.239682','{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0},{"track":0,"abilities":0,"markers":1,"prestige":0,"cities":2,"network":1,"missions":0,"total":4}],"ranks":[2,1],"forfeits":[null,null]}');
INSERT INTO "matches" VALUES('0403e3f2568b5488',6,NULL,'{"match_id":"0403e3f2568b5488","seed":"1569306072888918622","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["greedy","random"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:greedy","builtin:random"]}','finished','2026-11-18 16:22:53.239682','2026-11-18 16:22:53.239682','{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":1,"prestige":0,"cities":2,"network":1,"missions":0,"total":4},{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0}],"ranks":[1,2],"forfeits":[null,null]}');
INSERT INTO "matches" VALUES('ec5d2e885b1f5c3b',7,NULL,'{"match_id":"ec5d2e885b1f5c3b","seed":"5428037675604991810","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["greedy","anna"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:greedy","anna"]}','running','2026-11-18 16:22:53.241576',NULL,NULL);
CREATE TABLE notes (
	tournament VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	chained INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	text TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	PRIMARY KEY (tournament, number), 
	FOREIGN KEY(tournament) REFERENCES tournaments (name)
);
INSERT INTO "notes" VALUES('done',0,0,0,'created','seed committed to as 2dd4f5473a20a2f50aae233744642bdca2d0758529d84af10e9e74b817dfe0cf','2026-11-18 16:22:53.164276');
INSERT INTO "notes" VALUES('done',1,0,0,'started','','2026-11-18 16:22:53.175702');
INSERT INTO "notes" VALUES('done',2,1,0,'finished','','2026-11-18 16:22:53.221230');
INSERT INTO "notes" VALUES('open',0,0,0,'created','seed committed to as 2dd4f5473a20a2f50aae233744642bdca2d0758529d84af10e9e74b817dfe0cf','2026-11-18 16:22:53.230933');
INSERT INTO "notes" VALUES('open',1,0,0,'started','','2026-11-18 16:22:53.236266');
CREATE TABLE pairs (
	tournament VARCHAR(64) NOT NULL, 
	pool VARCHAR(128) NOT NULL, 
	bot VARCHAR(64) NOT NULL, 
	other VARCHAR(64) NOT NULL, 
	ahead BIGINT NOT NULL, 
	tied BIGINT NOT NULL, 
	behind BIGINT NOT NULL, 
	"after" BIGINT NOT NULL, 
	PRIMARY KEY (tournament, pool, bot, other), 
	FOREIGN KEY(tournament) REFERENCES tournaments (name)
);
INSERT INTO "pairs" VALUES('done','teutonica:2009:standard-3:2p:10t','greedy','random',2,0,0,2);
INSERT INTO "pairs" VALUES('done','teutonica:2009:standard-3:2p:10t','random','greedy',0,0,2,2);
INSERT INTO "pairs" VALUES('open','teutonica:2009:standard-3:2p:10t','greedy','random',4,0,0,4);
INSERT INTO "pairs" VALUES('open','teutonica:2009:standard-3:2p:10t','random','greedy',0,0,4,4);
CREATE TABLE records (
	match_id VARCHAR(32) NOT NULL, 
	actions BLOB NOT NULL, 
	PRIMARY KEY (match_id), 
	FOREIGN KEY(match_id) REFERENCES matches (match_id)
);
INSERT INTO "records" VALUES('2447d363379fa6fd',X'01030D035C00F7021B03550054001B0364000503F3021B03F202150013001B03F302C20043001B03F2021400F6011B03E5022503FA0204030A031B03F70253000A021B03E5023203FE0206030E031B03030131001B03');
INSERT INTO "records" VALUES('e14335b003b13b52',X'F902130014001B031003110300031B03320031001B0309030503F2021B031500F6011B03E5023F03F3028F0010031B03D70103011B03010306030B031B03230022001B031A038F00B0001B030C03FA021B03');
INSERT INTO "records" VALUES('69a9a14f5e63786b',X'01030D035C00F7021B03550054001B0364000503F3021B03F202150013001B03F302C20043001B03F2021400F6011B03E5022503FA0204030A031B03F70253000A021B03E5023203FE0206030E031B03030131001B03');
INSERT INTO "records" VALUES('affc856aa0b387a1',X'F902130014001B031003110300031B03320031001B0309030503F2021B031500F6011B03E5023F03F3028F0010031B03D70103011B03010306030B031B03230022001B031A038F00B0001B030C03FA021B03');
INSERT INTO "records" VALUES('2ca27c1cf0a40ed3',X'F60209030C03FD021B0330002E001B03FE0231001D001B03FC02080351001B038400F2021B03140013001B032D002B00F3021B03F2021500F6011B03E402260329000C03F8021B03030152001B03');
INSERT INTO "records" VALUES('0403e3f2568b5488',X'F702550053001B031D00FE021B03310032001B033200DC0230002F001A001B03F40254000A021B03E4022D03C1005500F2021B03030115001B032C000903F5021B03520051001B03F20207030C031B03');
CREATE TABLE tallies (
	tournament VARCHAR(64) NOT NULL, 
	pool VARCHAR(128) NOT NULL, 
	bot VARCHAR(64) NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (tournament, pool, bot), 
	FOREIGN KEY(tournament) REFERENCES tournaments (name)
);
INSERT INTO "tallies" VALUES('done','teutonica:2009:standard-3:2p:10t','greedy','{"games":2,"firsts":2,"place_shares":48,"points":14,"forfeits":{},"seats":{"0":1,"1":1},"ladder":1530.5304984710244,"ladder_games":2}');
INSERT INTO "tallies" VALUES('done','teutonica:2009:standard-3:2p:10t','random','{"games":2,"firsts":0,"place_shares":0,"points":0,"forfeits":{},"seats":{"0":1,"1":1},"ladder":1469.4695015289756,"ladder_games":2}');
INSERT INTO "tallies" VALUES('open','teutonica:2009:standard-3:2p:10t','greedy','{"games":4,"firsts":4,"place_shares":96,"points":22,"forfeits":{},"seats":{"0":2,"1":2},"ladder":1530.5304984710244,"ladder_games":2}');
INSERT INTO "tallies" VALUES('open','teutonica:2009:standard-3:2p:10t','random','{"games":4,"firsts":0,"place_shares":0,"points":0,"forfeits":{},"seats":{"0":2,"1":2},"ladder":1469.4695015289756,"ladder_games":2}');
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
CREATE TABLE tournaments (
	name VARCHAR(64) NOT NULL, 
	number BIGINT NOT NULL, 
	request_id VARCHAR(64), 
	event TEXT NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	commitment VARCHAR(64) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	problem TEXT NOT NULL, 
	concurrency INTEGER NOT NULL, 
	created DATETIME NOT NULL, 
	started DATETIME, 
	ended DATETIME, 
	played_seconds FLOAT NOT NULL, 
	blocks_made INTEGER NOT NULL, 
	blocks_finished INTEGER NOT NULL, 
	blocks_void INTEGER NOT NULL, 
	games_finished BIGINT NOT NULL, 
	decisions BIGINT NOT NULL, 
	chain VARCHAR(64) NOT NULL, 
	chain_blocks INTEGER NOT NULL, 
	outcome TEXT, 
	PRIMARY KEY (name), 
	UNIQUE (number), 
	UNIQUE (request_id)
);
INSERT INTO "tournaments" VALUES('done',1,NULL,'{"name":"done","seed":"","anchor":"","anonymous":false,"on_forfeit":"replace","forgiven":3,"rate_unbalanced":false,"format":{"kind":"round-robin","rounds":1,"blocks_each":0,"both_ways":false},"tables":[{"game":"teutonica","players":2,"edition":"2009","board":"standard-3","missions":false,"favours":false,"turn_limit":10}],"bots":[{"name":"random","uses":"builtin:random"},{"name":"greedy","uses":"builtin:greedy"}],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"limits":{"concurrency":0,"absent":300.0,"restarts":3,"voids":10,"hours":0.0,"log_bytes":65536}}','5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed','2dd4f5473a20a2f50aae233744642bdca2d0758529d84af10e9e74b817dfe0cf','finished','',0,'2026-11-18 16:22:53.164276','2026-11-18 16:22:53.175680','2026-11-18 16:22:53.221219',1.77402599983906839042e-02,1,1,0,2,84,'95a4dce038b4d38290343a45e38117d01f64b275d8cc05c37476348fda98c904',1,'{"standings":[{"bot":"greedy","score":1.0,"opponents":0.0,"head_to_head":0.5,"firsts":2,"margin":14.0,"games":2,"place":1,"withdrawn":false},{"bot":"random","score":0.0,"opponents":1.0,"head_to_head":0.5,"firsts":0,"margin":-14.0,"games":2,"place":2,"withdrawn":false}],"dropped_blocks":0}');
INSERT INTO "tournaments" VALUES('open',2,NULL,'{"name":"open","seed":"","anchor":"","anonymous":false,"on_forfeit":"replace","forgiven":3,"rate_unbalanced":false,"format":{"kind":"round-robin","rounds":2,"blocks_each":0,"both_ways":false},"tables":[{"game":"teutonica","players":2,"edition":"2009","board":"standard-3","missions":false,"favours":false,"turn_limit":10}],"bots":[{"name":"random","uses":"builtin:random"},{"name":"greedy","uses":"builtin:greedy"},{"name":"anna","uses":"connected"}],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"limits":{"concurrency":1,"absent":300.0,"restarts":3,"voids":10,"hours":0.0,"log_bytes":65536}}','5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed','2dd4f5473a20a2f50aae233744642bdca2d0758529d84af10e9e74b817dfe0cf','running','',1,'2026-11-18 16:22:53.230933','2026-11-18 16:22:53.236251',NULL,2.11202699938439764082e-03,6,2,0,4,163,'95a4dce038b4d38290343a45e38117d01f64b275d8cc05c37476348fda98c904',1,NULL);
CREATE INDEX ix_matches_state ON matches (state);
CREATE INDEX ix_tournaments_state ON tournaments (state);
COMMIT;
