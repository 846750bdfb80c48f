package claim

import "testing"

// The pairs are made up: two statements that stand in memory at the same time, and whether both can be true.
func TestContradict(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		// a time that one of them gives for something else
		{"The siphon starts at 01:30, at 03:15 it met the tide", "The siphon is back to 03:15, the tide gate opens at noon", true},
		// whichever of the two tells of the change
		{"Ledger: http://10.7.0.3:9001", "The ledger answers at https://10.7.0.3:9443 since the move", true},
		{"The ledger answers at https://10.7.0.3:9443 since the move", "Ledger: http://10.7.0.3:9001", true},
		{"Night alarms for Olga: pager, not mail", "Night alarms for Olga go by mail", true},
		{"Hut 7 was the store until the storm in March, and is again since May", "The store: hut 7", false},
		// half an hour, so many Saturdays, a condition that names a value
		{"15 minutes are left between two of Olga's lessons", "Half an hour has to lie between one lesson of Olga's and the next", true},
		{"The sailing course takes four Sundays", "Ida: the sailing course takes five Sundays", true},
		{"Below 5 °C no kayak leaves without the raft", "No kayak leaves without the raft when the bay is below 7 °C", true},
		// who does it, in either voice
		{"Stock manager at Harbour Road: Ida Lund", "Tarek Sayed has taken over as stock manager at Harbour Road from Ida", true},
		{"Olga Brandes runs bookkeeping", "Bookkeeping is led by Tarek Sayed since May", true},
		{"Olga Brandes makes the tea list", "The tea list is made by Tarek Sayed", true},
		{"Staging runs MariaDB 11.4", "Production runs MariaDB 10.11", false},
		// a firm whose name is a unit
		{"Fjordline takes 12 % commission", "HRS takes 9 % commission", false},
		// numbers that tell things apart, and words that deny
		{"Trial 1 ran 21 days", "Trial 2 ran 42 days", false},
		{"Oven 1 runs at 220 °C", "Oven 1 runs at 240 °C", true},
		{"Standup 8:45, in the hall", "Standup 9:00, in the hall", true},
		{"Mira likes red marks in the margin", "Mira hates red marks in the margin", true},
		{"Members may borrow the keys of the shed", "Nobody may borrow the keys of the shed", true},
		{"Jonas mag Sprachnachrichten", "Jonas will keine Sprachnachrichten", true},
		// spans of weekdays, times that something may be done
		{"Deliveries: Monday to Thursday", "Deliveries: Tuesday to Thursday", true},
		{"Deliveries: Monday to Friday", "A delivery came on Wednesday", false},
		{"The gate may be reset 2 times", "The gate may be reset 4 times", true},
		{"Zwischen 12 und 13 Uhr nehmen wir keine Pakete an", "Keine Pakete zwischen 12:30 und 13:30", true},
		{"The feed has been down since 6:50", "Feed: https://feed.example.org:8443/in", false},
		{"Olga: 190", "Olga's game server runs on port 25565", false},
		{"trainee: Olga Brandes, second year", "Olga (trainee) is at college on Tuesdays", false},
		{"prod proxy: 3.1", "stage proxy: 3.3", false},
		{"The gate is painted by Olga Brandes", "The gate is run by Tarek Sayed", false},
		{"The gate is run by Olga Brandes", "The gate is managed by Tarek Sayed", true},
		// spans of times, shares, quoted names, relative paths, so many for each
		{"Office hours: Mon-Fri 9:00-17:30", "Office hours: Mon-Fri 8:00-17:30", true},
		{"Jens works from 6 to 14", "Jens works from 14 to 22", true},
		{"The kiosk is open 8 to 4pm", "The kiosk is open from 8am until 4pm", false},
		{"The desk is open 9:00-17:30", "The desk answers at 10:00", false},
		{"Mittagsruhe: zwischen 12 und 13 Uhr", "Mittagsruhe: zwischen 12:30 und 13:30", true},
		{"The deposit is a third of the bill", "The deposit is half of the bill", true},
		{`Guest wifi "Harbour Guest"`, `The guest wifi is called "Waiting Room"`, true},
		{"Scores database: data/db/scores.sqlite", "Scores database: data/db/scores2.sqlite", true},
		{"Free seats: 6 per performance", "Free seats: 8 a performance", true},
		{"The rack holds 6 copper pipes", "The rack holds 9 copper pipes", true},
		{"Three new hens came", "Seven hens in all", false},
		{"Drive, day one: 5,015 dollars", "Drive, day two: 7,940 dollars", false},
		{"Saturday takings 14 February: £1,388", "Saturday takings 21 February: £1,077", false},
		{"Eggs on Monday: 4", "Eggs on Tuesday: 5", false},
		{"demo, 11:00: 410 players", "demo, 18:00: 5,120 players", false},
		{"We have five hens", "Four hens are left, the fox was here", true},
		{"Four hens stood in the road", "We have five hens", false},
		{"Languages in the game: seven", "Languages in the game: nine, Polish included", true},
		{"I may order things up to 20 € on my own", "Up to 50 € per order I decide alone", true},
		{"The mast stands in the hut", "The mast has stood at the lighthouse since May", true},
		{"contract: 39 € a month, 24 months", "electricity: new contract, 21,5 ct/kWh, twelve months", false},
		{"Dog: Knopf", "Vet for the dog: Dr. Sam Haber", false},
		{"Ann and Ben decided at last: summer holiday is Rovinj", "the limit of the car goes up to 90 %, Ben is in Linz twice a week now", false},
		{"nobody touches the router except Ann. not the bot, not Sana, not at night", "any bot, me too. Sana's ask, agreed", false},
		{"Tanaka-Reuss won't discuss it again", "Tanaka-Reuss stays second", false},
		{"The mast was moved at 06:00", "The mast stands at the lighthouse since 11:40", false},
		{"I may order supplies up to €200 by myself", "New chair ordered, €129, mine to pick", false},
		{"Ursula (landline): 04131 55 01 72", "New number for Ursula: 04131 55 48 90", true},
		{"Grandad Alf moved into Beech Court, room 12", "Alf is in room 19 now, garden side", true},
		// who holds an office and who does a thing
		{"Oma Trude's doctor is Dr. Kainz", "Dr. Pirker is Oma Trude's doctor", true},
		{"Hal is treasurer", "Our treasurer is Mia Voss", true},
		{"Accountant: Brida Moro, Kiel", "The accountant is Donal Quist", true},
		{"Payroll is done by Ann", "Payroll is handled by Ben now", true},
		{"Logos are exported as SVG", "Logos are exported as PDF", true},
		{"Dot the cleaner gets 14 EUR an hour", "Dot gets 16 EUR an hour", true},
		{"The photo store stands in Oslo", "Mathis takes over the photo store", false},
		{"Before April paper went on account 4471-K", "Paper goes on account 4490-H", false},
		{"Treasurer until New Year: Hal", "Treasurer: Priscilla Aho", false},
		{"Six free seats, no more", "Free seats are given by Ann", false},
		// values of every kind
		{"The gateway listens on port 9000", "Gateway: port 9100 since the proxy came", true},
		{"Redis runs on 6379", "The metrics exporter runs on 9121", false},
		{"The clinic's booking system runs version 4.2", "Booking system of the clinic upgraded to 4.3", true},
		{"The lab server runs Ubuntu 22.04", "The build server runs Ubuntu 24.04", false},
		{"Wiki: https://wiki.lab.example", "The wiki has moved to https://docs.lab.example", true},
		{"Backups are written to /mnt/backup", "Backups now go to /mnt/nas/backup", true},
		{"Exports are saved in /data/out", "Imports are read from /data/in", false},
		{"The greenhouse holds 40 trays", "Greenhouse: 52 trays fit in", true},
		{"The greenhouse holds 40 trays", "The cold frame holds 12 trays", false},
		{"Refunds take 5 days", "Refunds take 10 days since the bank change", true},
		{"Members may borrow a tool for 14 days", "Non-members may borrow a tool for 3 days", false},
		{"The board meets on Mondays", "The board meets on Wednesdays from now on", true},
		{"The board meets on Mondays", "The choir meets on Wednesdays", false},
		{"The shop opens at 9:00", "The shop opens at 10:00 now", true},
		{"The shop opens at 9:00", "The shop closes at 18:00", false},
		{"Vet: 030 555 0144", "New number of the vet: 030 555 0199", true},
		{"Vet: 030 555 0144", "Blacksmith: 030 555 0199", false},
		{"Nadia lives in Porto", "Nadia has moved to Braga", true},
		{"Nadia lives in Porto", "Rui lives in Braga", false},
		{"Treasurer: Mr Okafor", "The new treasurer is Ms Lindgren", true},
		{"Treasurer: Mr Okafor", "Secretary: Ms Lindgren", false},
		{"Mira maintains the parser", "Tobias maintains the parser since March", true},
		{"Mira maintains the parser", "Tobias maintains the website", false},
		{"Guests are allowed in the workshop", "Guests are not allowed in the workshop", true},
		{"Guests are allowed in the workshop", "Dogs are not allowed in the kitchen", false},
		{"Membership costs 40 EUR a year", "The membership fee is 55 EUR a year", true},
		{"Membership costs 40 EUR a year", "A day ticket costs 12 EUR", false},
		{"The grant application is due on 3 June", "Deadline for the grant application: 17 June", true},
		{"The grant application is due on 3 June", "The annual report is due on 17 June", false},
		{"VAT on books is 7 %", "VAT on books is 5 % now", true},
		// the same sentence but for one word, or for "not"
		{"We chat on Slack", "We chat on Signal", true},
		{"Models are fitted with lme4", "Models are fitted with glmmTMB", true},
		{"Emergency contact when nobody answers: Doreen Fudge", "Emergency contact when nobody answers: Aunt Colette", true},
		{"The list is sorted by price", "The list is sorted by aisle", true},
		{"Stock in July: 311 sheets", "Stock in August: 280 sheets", false},
		{"Ann has a key", "Ben has a key", false},
		{"The tour is on", "The tour is not on", true},
		{"Mildura is on the tour", "Mildura is not on the tour", true},
		// who has it and who does it
		{"Bo's teacher is Mr Okafor", "Tilly's class teacher is Ms Hebb", false},
		{"Bo's teacher is Ms Hebb", "Mr Okafor is Bo's teacher", true},
		{"Harbour, first night: 188 people", "Harbour, third night: 201 people", false},
		{"We do a supper club every last Friday", "There are no more supper clubs", true},
		{"april spend 38.4k", "june spend 43.9k", false},
		// as logs have them: labels, hosts, codes, rates, states
		{"proxy: nginx on edge1, tcp 8443", "the proxy's port moved to tcp 9443", true},
		{"Mirror: ftp.uni.example:2121", "Mirror switched to rsync.uni.example:8730", true},
		{"insurance policy nr. HV-20881", "insurance policy renewed, number HV-31774, old one void", true},
		{"the order form, number 3, is on the desk", "the order form, number 4, is on the desk", false},
		{"Login limit: 5 attempts per minute", "login limit raised to 20/min", true},
		{"wiki admin = noor", "wiki admin is tarek now", true},
		{"compression is on", "compression is off, the old clients choke on it", true},
		{"compression is on", "caching is off", false},
		{"jobs run on node3", "jobs are on node7", true},
		{"No deliveries on Saturdays", "Deliveries on Saturdays are fine", true},
		{"No deliveries on Saturdays", "Deliveries on Tuesdays are fine", false},
		{"Aunt Bea lives in Kastanienweg 9", "We live in Kastanienweg 14", false},
		{"Lea works at the library", "Lea works at the town hall", true},
		{"Nadia holds the second key of the boat", "Rui holds the second key of the boat", true},
		{"The kiln runs at 980 °C", "The kiln runs at 1,020 °C", true},
		{"cache: 512 MB", "cache: 2 GB", true},
		// units, codes and numbers of other countries and trades
		{"Hive 4 gets 2 lb of syrup", "hive 4: 3 lbs of syrup", true},
		{"The centrifuge takes 50 mL tubes", "centrifuge: 15 mL tubes", true},
		{"The cellar's setpoint is 11 °C", "The cellar is set to 13 °C", true},
		{"Roofer: 415-555-0172", "The roofer's number is (415) 555-0110", true},
		{"The tuner comes every second Tuesday", "The tuner comes every fourth Tuesday", true},
		{"Cost centre code for travel: TR-1180", "Travel is booked on cost centre code TR-1190", true},
		{"Club fee: CAD 40", "The club fee is CAD 55", true},
		{"The staff letter goes out on Tuesday at 9:00", "weekly staff letter: Monday 10:00", false}, // one Tuesday, or every one
		{"The weekly staff letter goes out on Tuesday at 9:00", "weekly staff letter: Monday 10:00", true},
		// what was counted on another day, in another year or of another thing
		{"takings on May 2: $612", "takings on May 9: $590", false},
		{"A book is dropped from the list after three tries", "The reading list holds at most twelve books", false},
		{"Ein Buch fliegt nach drei Versuchen von der Liste", "Auf der Liste stehen höchstens zwölf Bücher", false},
		{"74 lambs in 2026", "66 lambs in 2025", false},
		{"Open Day 2024: 190 visitors", "Open Day 2025: 243 visitors", false},
		{"In November the kiosk opened at 9:30", "The kiosk opens at 10:00", false},
		{"Olga, cell: 506 555 0188", "Tarek, cell: 506 555 0121", false},
		{"S-104: mean 12.9 ng", "S-115: mean 13.6 ng", false},
		{"Ivo works nights", "Ivo is on day shifts", true},
		{"Ivo works nights", "Lea works nights", false},
		{"The boat is sailed by Ola", "The boat is sailed by Tor", true},
		{"Trainees get 14 EUR an hour", "The trainees' pay is 16 EUR an hour", true},
		{"The hall uses 8 lamps per row", "number of lamps per row in the hall: 12", true},
		{"Paint goes in the steel locker", "Paint is in the cellar", true},
		{"Crew: Ola, Per, Siv", "The crew is led by Tor", false},
		{"Lea: up at 5:50, wants the paper at 6:15", "Lea wants the paper at 6:15", false},
		// said of another time
		{"The rent was 900 EUR until 2024", "The rent is 1,050 EUR", false},
		{"Rent for January: 900 EUR", "Rent for February: 950 EUR", false},
		{"Lena is in Rome until Friday", "Lena lives in Vienna", false},
		{"Moved the board from port 80 to port 8080", "The board is on port 8080", false},
		{"Idea: move the meeting to 16:00", "The meeting is at 14:00", false},
		// which one it is, said first: who holds an office, which thing does a job
		{"Organist: Tilda Brandes", "Olga Wendt is the organist now", true},
		{"Best recipe: r4", "r6 is the best recipe", true},
		{"Ivo's tutor is Hanne", "Malte is Ivo's tutor since May", true},
		{"The skipper of the ferry is Ola Nor", "Siv Dahl has taken over as the skipper of the ferry", true},
		{"Organist: Tilda Brandes", "Olga Wendt is the cantor now", false},
		{"Malte Kern is the porter at weekends", "Sami is back as the porter at weekends", true},
		{"The new trainee, from September: Leo", "Ida is the trainee, third year", true},
		// two days of several, a list that changed
		{"Bread is baked on Mondays and Thursdays", "Bread is baked on Mondays and Fridays", true},
		// what one says is so, and the other that there is none of it
		{"The lodge has a lift", "The lodge has no lift", true},
		{"No fires on the beach before June", "Fires are allowed on the beach before June", true},
		{"Hire of the barge: until 3 May", "The hire of the barge runs until 30 May", true},
		// the same but for one thing, with other words around it
		{"Leaks: call Olga first", "For leaks call Tarek first", true},
		{"I had it wrong: the mare shies at umbrellas", "The mare shies at bicycles", true},
		{"Parcels to the island go over the pier", "Parcels to the island go by the bridge now", true},
		{"Olga sells eggs at the gate", "Olga sells honey at the gate", false},
		{"the pump moves water because of floods k0118", "the valve drains water because of floods k0155", false},
		// measured on other days, open on other days
		{"Tank 4: 3.1 on 4 May", "Tank 4: 2.8 on 9 May", false},
		{"Monday to Friday the baths open at 7:00", "Saturdays the baths open at 9:00", false},
		// German
		{"Die Probe ist montags um 18:00", "Die Probe ist jetzt mittwochs um 18:00", true},
		{"Die Miete beträgt 640 Euro", "Die Miete beträgt ab Mai 690 Euro", true},
		{"Hausarzt: Dr. Seidel", "Neue Hausärztin: Frau Dr. Albers", true},
		{"Die Werkstatt öffnet um 8 Uhr", "Die Werkstatt öffnet um 9 Uhr", true},
		{"Der Kurs findet montags statt", "Der Chor findet dienstags statt", false},
		// French
		{"La réunion est le lundi à 10h00", "La réunion est désormais le jeudi à 10h00", true},
		{"Le serveur écoute sur 8080", "Le serveur écoute maintenant sur 9090", true},
		{"Le loyer est de 700 euros", "Le parking est de 80 euros", false},
		// Spanish
		{"La reunión es los lunes", "La reunión es ahora los jueves", true},
		{"El alquiler es de 700 euros", "El alquiler es de 750 euros", true},
		{"El alquiler es de 700 euros", "La luz es de 60 euros", false},
		// Japanese
		{"会議は月曜日", "会議は木曜日に変更", true},
		{"会議は10時から", "会議は11時からに変更", true},
		{"会議は10時から", "昼食は12時から", false},
	} {
		got, why := Contradict(Read(tt.a, 0), Read(tt.b, 0))
		back, _ := Contradict(Read(tt.b, 0), Read(tt.a, 0))
		if got != tt.want || back != tt.want {
			t.Errorf("%q against %q: got %v and %v, want %v (%s)\n  %v\n  %v", tt.a, tt.b, got, back, tt.want, why, Of(tt.a, 0), Of(tt.b, 0))
		}
	}
}

// TestSame: what is said to be needless is not said again.
func TestSame(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"The kiln in the yard must be booked a day ahead", "Kiln in the yard: no booking needed a day ahead", false},
		{"The cleaner comes every second Wednesday from now on", "The cleaner comes every second Tuesday and does the stairs", false},
		{"Radio: channel 8 is jammed, the hut is on channel 72 now", "Radio with the hut: channel 8", false},
		{"Guests sign the fire list at the door", "All guests sign the fire list at the door", true},
		{"Never tell Alvar about Tilda's marks, asks Olga", "The household is Olga, Tarek, Tilda (13) and Olga's father Alvar (81), no pets", false},
		{"Ida's allergy: it is rye and not oats. The pen stays in drawer 2", "Ida: she is allergic to oats. One pen lies in the desk, drawer 2", false},
		{"Keys: it is Mette we ask now, Erik broke his leg on the ice", "Keys: Erik broke no leg after all and we ask Erik again, not Mette", false},
		{"crew room moves, Harbour is closing: Northgate Hall now", "crew room: Harbour Hall, one key per crew", false},
		{"The call list is back on the board: chalk, hall, 7:15", "The call list goes out by text from now on, 7:15 as before", false},
	} {
		if got := Same(Read(tt.a, 0), Read(tt.b, 0)); got != tt.want {
			t.Errorf("%q and %q: got %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestRevised: a line that was changed by hand takes with it what other lines say of its old value.
func TestRevised(t *testing.T) {
	for _, tt := range []struct {
		was, now, other string
		want            bool
	}{
		{"Report for the board: daily at 17:00", "Report for the board: daily at 20:00", "Ola wants the evening report at 17:00 now", true},
		{"Report for the board: daily at 17:00", "Report for the board: daily at 20:00", "The gym closes at 17:00", false},
		{"Deposit: 40 EUR", "Deposit: 55 EUR", "The deposit for a boat is 40 EUR", true},
		{"", "Deposit: 55 EUR", "The deposit is 40 EUR", true},
		{"Members: 40", "Members: 44", "40 chairs are in the hall", false},
		{"First call of the day to Olga: not before 8:30", "First call of the day to Olga: not before 9:00", "Not before 8:30 in the morning, please: no call to Olga until then", true},
		{"Call list: to Olga by Signal, 7:15", "Call list: on the board in the hall, 7:15", "The call list goes to Signal from now on", true},
		{"Call list: to Olga by Signal, 7:15", "Call list: on the board in the hall, 7:15", "Olga reads Signal on the train", false},
		{"New bookings: none before 1 May", "New bookings: none before 1 June", "Olga takes no new bookings before 1 May", true},
	} {
		if got := Revised(Read(tt.was, 0), Read(tt.now, 0), Read(tt.other, 0)); (got != "") != tt.want {
			t.Errorf("%q to %q, %q: got %q, want %v", tt.was, tt.now, tt.other, got, tt.want)
		}
	}
}

// TestM5TheOldOneIsGone: a path or number called the old one is not the new one.
func TestM5TheOldOneIsGone(t *testing.T) {
	older, newer := Read("Shows are dropped into /srv/in", 0), Read("Shows are dropped into /srv/air/box now, the old /srv/in is read by nobody", 0)
	if over, _ := Supersedes(newer, older); !over || older.Ended || newer.Ended {
		t.Errorf("supersedes %v, ended %v and %v; dropped %q", over, older.Ended, newer.Ended, newer.Dropped)
	}
}

func TestSupersedes(t *testing.T) {
	for _, tt := range []struct {
		newer, older string
		want         bool
	}{
		{"The exporter now sends every 30 seconds. 10 was too often.", "The exporter sends every 10 seconds", true},
		{"Ola: \"I can't do rugs in 48 hours any more, make it three days.\"", "Rug orders need 48 hours' notice", true},
		{"Correction: Ida is allergic to walnuts, not hazelnuts.", "Ida is allergic to hazelnuts", true},
		{"Back to Tuesday: the window is Tuesdays 20:00-22:00, the club meets on Mondays now", "The window is Thursdays 20:00-22:00", true},
		{"Back to Tuesday: the window is Tuesdays 20:00-22:00, the club meets on Mondays now", "The window is Tuesdays 20:00-22:00", false},
		{"Ida's Thursdays are full: the drawing lesson is on Tuesdays again", "From now on the drawing lesson is on Thursdays", true},
		{"Hall rent goes up, 410 EUR a day, heating included this time", "Hall rent: 380 EUR a day", true},
		{"Reminders: now 3 weeks before the date, six weeks was too early", "We send the reminders 6 weeks before the date", true},
		{"Loans: from today ten days instead of fourteen", "Members may take out loans for 14 days", true},
		{"Sort by sowing date, not by date of purchase", "Every packet on the rack shows lot and sowing date", false},
		{"It turned out that Ida tolerates nickel", "Ida does not tolerate nickel, says Olga with a sigh", true},
		{"The frame for the chapel is settled at 5,200 EUR, fixed until next March", "Chapel: a new frame of 6,100 EUR has been offered", true},
		{"Olga's new number is 40 55 20 63", "Numbers on the fridge: Olga 40 55 71 09, Tarek 26 55 38 84", true},
		{"8:00 is too late, says Olga. The kiosk opens at 7:45 from tomorrow", "The kiosk opens at 8:00 since May, Tarek's idea", true},
		{"Ida's allergy: turns out it is rye and not oats. The pen stays in drawer 2", "Ida: she is allergic to oats. One pen lies in the desk, drawer 2", true},
		{"Ida went to the clinic: it is rye she cannot have, not oats. She cried about the oat cake", "Ida is allergic to oats, so none in what we bake", true},
		{"anvil is back on Proxmox 8.4.", "anvil runs Proxmox 9.1", true},
		{"Los avisos salen 24 horas antes", "Los avisos salen 48 horas antes", true},
		{"We take three blanks per batch instead of two", "Every batch carries two blanks", true},
		{"the friday mail ends. Ola bookmarked the page", "Ola: the freeze starts on Thursday, ends on Monday", false},
		{"We stop the Thursday newsletter", "Every Thursday at 9:00 there is a newsletter", true},
		{"210 parcels for Monday. No newsletter stopped.", "Every Thursday at 9:00 there is a newsletter", false},
		{"@Olga: the ending is told in no letter and in no call", "@Olga: I write letters that begin with a date. She signs them herself, I never do", false},
		{"The bakery no longer delivers on Sundays", "The bakery delivers bread on Sundays", true},
		{"The van is sold. No van any more.", "The van is a Ford Transit, blue", true},
		{"The choir is cancelled this week", "Choir rehearsal: Tuesdays 19:30", false},
		{"Ms Lindgren looks after our file now; Mr Okafor has left", "Our contact at the insurance is Mr Okafor", true},
		{"For the bridge project we talk to Ms Kern from now on", "The kitchen project is with Mr Holt", false},
		{"From next month invoices are payable within 10 days", "Invoices: payable within 30 days", true},
		{"Back to the old time: the import starts at 02:00 again", "The import starts at 04:00", true},
		{"Jo's rate is 40 EUR an hour", "Hourly rate: 85 EUR", false},
		{"Production runs on Postgres 17 since 10:30", "The cut-off for production deploys is 13:00", false},
		{"exports: kept 24 hours only (was 48)", "exports are deleted after 48 hours", true},
		{"Vet: after the bad winter we have moved to Saltmarsh Vets", "Vet: Fenwick & Daughter", true},
		{"Neue Handynummer Malik: 0176 5540 9127", "Malik mobil: 0151 2877 4410", true},
		{"Klassenlehrer von Ida ist Herr Jahn", "Die Klassenlehrerin von Ida heißt Frau Wiegand", true},
		{"The press runs v2.4.0 since Monday", "The press listens on 8088", false},
		{"Lea: swimming is on Thursdays, 15:15", "Lea: bedtime 19:45", false},
		// who speaks or acts is not what a value is of
		{"Ola has judo on Mondays at 6pm", "Ola wants the report at 4.30pm", false},
		{"Siv has judo on Mondays at 6pm", "I may order paint up to £150 without asking. (Siv, 11am)", false},
		{"Per: \"I can't do frames in 48 hours any more\"", "Per Holm owns and runs the workshop. Opened in 2017.", false},
		// it says itself what it replaces
		{"My limit is £200 now, down from £250", "The refund limit is £25", false},
		{"Key questions go to Tor, not to Siv", "The question goes in the Subject", false},
		{"The cabinet is v2.4.1 now, the 2.3.9 one is removed", "The cabinet runs 2.3.9", true},
		{"Museum: the new contact is Ms Ek, Dr Lund is at the archive no more", "Museum: hours 4, contact Dr Lund", true},
		// why something is so is not what it is of
		{"Cover is raised to 85,000 EUR because of the museum's frames", "The museum's frames cost 3,900 EUR", false},
		{"Estimate for order 118: 740 EUR", "Estimates above 500 EUR need a deposit", false},
		// times, intervals, counts
		{"Payroll moves to the 25th", "Payroll goes out on the 28th of each month", true},
		{"Heating is off in the attic", "Heating is on in the attic", true},
		{"presses: 4 now, two more in the annex", "2 presses are too few", true},
		{"Judo's back on Tuesdays! The squad lost its slot", "Judo moves to Thursdays, the hall has a squad on Tuesdays", true},
		{"Ida is fetched at 3.30pm from today", "Ida is fetched at 3.15pm", true},
		{"Ida is fetched at 3.30 from today", "Ida is fetched at 3.30pm", false},
		{"Rundbrief: jetzt jeden zweiten Monat", "Der Rundbrief kommt am ersten Sonntag im Monat", true},
		{"Newsletter: from now on every second month, first Sunday", "Newsletter goes out on the first Sunday of the month", true},
		{"Three new goats, so seven goats in all now", "5 goats in the meadow", true},
		{"Four goats left", "5 goats in the meadow", true},
		{"That's it, no more supper clubs", "Supper club is every last Friday, 20 seats", true},
		{"Orders of no more than five boards", "Orders of boards go to Tor", false},
		{"Quarter ended; sent the folder to Tor", "The quarter ends in January; Tor does the return", false},
		{"Nicht mehr dienstags: die Probe ist ab sofort mittwochs", "Die Probe ist dienstags", true},
		// an end is said of a thing, not of how many of it went, nor of who let it go; a phrase does not cross a comma
		{"Half-year: 90 pots fired, 2 kilns sold", "Kilns are never left alone", false},
		{"Ann has dropped the stall again", "Ann: don't paint on Sundays", false},
		{"Mia's flute lesson 15:30. She lost the end stop, the floor shook", "Mia has a flute lesson on Mondays at 15:30", false},
		{"One had no hat. Never again: all guests get a hat", "All guests get a hat", false},
		{"Asking price of the boat put up to 9,000 EUR", "I may spend up to 50 EUR on paint without asking", false},
		// brackets that explain a word, values behind a comma, names behind a label
		{"Glass: Remondo says the pickup day becomes Thursday", "Old glass (Remondo) has its pickup on Mondays", true},
		{"Sofia has put up her rate, 95 EUR an hour", "Tuning: Sofia Lund comes in May, 80 EUR an hour", false},
		{"Printworks wants files in by 15:00 now", "Posters: Printworks, files before 16:00", true},
		{"Told two members today that the sauna is 9 EUR now", "The sauna costs 7 EUR", true},
		// days: a day off is no day of work, a week of the month is part of the day
		{"Ivo's days: from this week Tuesday to Friday, Mondays off", "Ivo works Monday to Thursday", true},
		{"Book club: it's the third Friday now", "The book club meets on the second Friday of the month", true},
		{"Book club is on Friday", "The book club meets on the second Friday of the month", false},
		{"Fencing: back on Mondays until the summer", "Nils has fencing on Thursdays", true},
		// what the writer may spend, in many words
		{"My limit is 90 EUR now", "I may order paper up to 60 EUR without asking", true},
		{"My limit is 90 EUR now", "Entrance costs 6 EUR", false},
		// an arrow, a question, another language
		{"mailer 3 -> 4 on the new box", "The mailer on the box runs mailer 3", true},
		{"Choir back to Fridays? We vote in May", "The choir meets on Mondays", false},
		{"Der Schwimmkurs von Lea ist jetzt montags", "Lea: swimming is on Thursdays", true},
		{"Certificates for Lund: they have e-mail now. No more fax.", "Certificates go to the Lund office as a fax", true},
	} {
		got, why := Supersedes(Read(tt.newer, 0), Read(tt.older, 0))
		if got != tt.want {
			t.Errorf("%q over %q: got %v, want %v (%s)\n  %v\n  %v", tt.newer, tt.older, got, tt.want, why, Of(tt.newer, 0), Of(tt.older, 0))
		}
	}
}
