//! The first look at the traffic: which kinds there are, and a ticket for each interaction.

use super::amount::Amount;
use super::seed::{Lot, Lots};
use super::shape::{KindsBy, Shape};
use super::stratum::{By, Stratum};
use super::wanted::Wanted;
use crate::recording::{Interaction, Keys, Row, bytes_key};

/// The number of a kind or of a stratum, in the order in which they came.
pub(super) type Number = u32;

/// Everything that is remembered of the traffic: 24 bytes an interaction and some 80 a kind, but for the ids.
#[derive(Debug)]
pub(super) struct Census {
    lots: Lots,
    rules: Rules,
    known_kinds: Keys,
    known_strata: Keys,
    pub(super) kinds: Vec<Kind>,
    pub(super) strata: Vec<Group>,
    pub(super) tickets: Vec<Ticket>,
    /// The traffic of all.
    pub(super) traffic: Amount,
    /// How many decimal places the weights have at most.
    pub(super) places: u32,
}

/// How interactions are told apart.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    by: Vec<By>,
    kinds: KindsBy,
}

/// Interactions of one stratum that did the same.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) stratum: Number,
    pub(super) interactions: u64,
    pub(super) traffic: Amount,
    /// The first of them, by its number.
    pub(super) first: usize,
    /// Decides between kinds that have nothing else to decide between them.
    pub(super) lot: Lot,
}

/// A stratum.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) interactions: u64,
    pub(super) traffic: Amount,
    pub(super) lot: Lot,
}

/// What decides whether an interaction is drawn of its kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    pub(super) kind: Number,
    pub(super) lot: Lot,
    pub(super) weight: f64,
}

/// Why an interaction cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Uncountable {
    /// Its weight cannot be added to the others without a loss.
    Weight,
    /// There are too many kinds.
    Kinds,
}

impl Rules {
    pub(super) fn of(wanted: &Wanted) -> Self {
        Self { by: wanted.by.clone(), kinds: wanted.kinds }
    }

    /// The words for the stratum and the kind of an interaction.
    pub(super) fn words(&self, interaction: &Interaction) -> (String, String) {
        let stratum = Stratum::of(interaction, &self.by).to_string();
        (stratum, Shape::of(interaction, self.kinds).to_string())
    }
}

impl Census {
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self {
            lots: wanted.seed.lots(),
            rules: Rules::of(wanted),
            known_kinds: Keys::default(),
            known_strata: Keys::default(),
            kinds: Vec::new(),
            strata: Vec::new(),
            tickets: Vec::new(),
            traffic: Amount::default(),
            places: 0,
        }
    }

    /// Takes in the next interaction.
    pub(super) fn add(&mut self, row: &Row) -> Result<(), Uncountable> {
        let weight = row.interaction.traffic();
        let amount = Amount::of_weight(weight).ok_or(Uncountable::Weight)?;
        self.traffic = self.traffic.plus(amount).ok_or(Uncountable::Weight)?;
        self.places = self.places.max(amount.places());
        self.traffic.steps(self.places).ok_or(Uncountable::Weight)?;
        let kind = self.kind(&row.interaction)?;
        let counted = &mut self.kinds[kind as usize];
        counted.interactions += 1;
        counted.traffic = counted.traffic.plus(amount).ok_or(Uncountable::Weight)?;
        let group = &mut self.strata[counted.stratum as usize];
        group.interactions += 1;
        group.traffic = group.traffic.plus(amount).ok_or(Uncountable::Weight)?;
        self.tickets.push(Ticket { kind, lot: self.lots.of(row.id.as_str().as_bytes()), weight });
        Ok(())
    }

    fn kind(&mut self, interaction: &Interaction) -> Result<Number, Uncountable> {
        let stratum = Stratum::of(interaction, &self.rules.by);
        let of_stratum = stratum.bytes();
        let shape = Shape::of(interaction, self.rules.kinds).bytes();
        // The length of the first part keeps the two apart.
        let bytes = [&(of_stratum.len() as u64).to_le_bytes()[..], &of_stratum, &shape].concat();
        let number = match self.known_kinds.insert(bytes_key(&bytes)) {
            Err(known) => known,
            Ok(new) => {
                let stratum = self.stratum(&stratum, &of_stratum)?;
                let (first, lot) = (self.tickets.len(), self.lots.of(&bytes));
                self.kinds.push(Kind { stratum, interactions: 0, traffic: Amount::default(), first, lot });
                new
            }
        };
        number.try_into().map_err(|_| Uncountable::Kinds)
    }

    fn stratum(&mut self, stratum: &Stratum, bytes: &[u8]) -> Result<Number, Uncountable> {
        let number = match self.known_strata.insert(bytes_key(bytes)) {
            Err(known) => known,
            Ok(new) => {
                let (name, lot) = (stratum.to_string(), self.lots.of(bytes));
                self.strata.push(Group { name, interactions: 0, traffic: Amount::default(), lot });
                new
            }
        };
        number.try_into().map_err(|_| Uncountable::Kinds)
    }

    /// The kinds of each stratum.
    pub(super) fn kinds_by_stratum(&self) -> Vec<Vec<Number>> {
        let mut by_stratum = vec![Vec::new(); self.strata.len()];
        for (number, kind) in (0..).zip(&self.kinds) {
            by_stratum[kind.stratum as usize].push(number);
        }
        by_stratum
    }

    /// How interactions are told apart.
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }
}
